# logged.sh PROGRAM ARGUMENT: calls a program, and leaves a line in the file effects: the idempotency key, and the argument.
exec 9>"${0%/*}/alive"
input=$(cat)
printf '%s %s\n' "$FERMATA_IDEMPOTENCY_KEY" "$2" >>"${0%/*}/effects"
printf '%s' "$input" | "$1" "$2"
