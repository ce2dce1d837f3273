#!/bin/sh
# Stands for what sends an invoice: an address without a dot behind the @ is not accepted.
args=$(cat)
case "$args" in
*@*.*) ;;
*) echo "the mail server does not accept this address" >&2; exit 1 ;;
esac
