# hang.sh: an effect that takes too long, by itself and in a child. Nobody waits for it: there is a limit of time.
exec 9>alive
read -r input || exit 9
printf '%s %s\n' "$FERMATA_IDEMPOTENCY_KEY" "$input" >>effects
sleep 1 &
sleep 1
wait
