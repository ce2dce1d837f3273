#!/bin/sh
# Stands for the bank: its arguments are a JSON object on standard input, what it prints is its output.
echo "the bank has taken the payment" >&2
echo '{"reference": "T-5501"}'
