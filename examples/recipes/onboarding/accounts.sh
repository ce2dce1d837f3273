#!/bin/sh
# Stands for the program that makes accounts: {"name": …, "team": …} comes in, the name of the login goes out.
login=$(sed -n 's/.*"name": *"\([^" ]*\).*/\1/p' | tr '[:upper:]' '[:lower:]')
echo "made mail, chat and repository for $login" >&2
printf '{"login": "%s"}\n' "$login"
