#!/bin/sh
# Stands for a payment service: its arguments are a JSON object on standard input, what it prints is its output. A real one would
# give $FERMATA_IDEMPOTENCY_KEY on, so that what is tried again is paid once.
amount=$(sed -n 's/.*"amount": *\([0-9.]*\).*/\1/p')
echo "paying $amount euros" >&2
echo '{"reference": "R-2041"}'
