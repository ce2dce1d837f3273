# effect.sh NAME [FAILURES]: an effect on the world. It leaves a line in the file effects: its idempotency key, and what
# it was called with. The first calls under a key fail, as many as FAILURES says. It reads the whole line of its input
# before it does anything: a process that dies may cut that off.
exec 9>alive # a pipe, whose reader sees when the last of those is gone that hold it
read -r input || exit 9
sleep 0.003
printf '%s %s\n' "$FERMATA_IDEMPOTENCY_KEY" "$input" >>effects
sleep 0.003
if [ "$(grep -cF "$FERMATA_IDEMPOTENCY_KEY " effects)" -le "${2:-0}" ]; then
	echo "$1: not yet" >&2
	exit 3
fi
printf '{"%s": %s}\n' "$1" "$input"
