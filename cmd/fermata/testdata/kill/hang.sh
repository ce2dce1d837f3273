# hang.sh: an effect that takes a minute, and a child of its own. Nobody waits for it: there is a limit of time.
exec 9>alive
read -r input || exit 9
printf '%s %s\n' "$FERMATA_IDEMPOTENCY_KEY" "$input" >>effects
sleep 1 &
seconds=0
while [ "$seconds" -lt 60 ]; do
	sleep 1
	seconds=$((seconds + 1))
done
