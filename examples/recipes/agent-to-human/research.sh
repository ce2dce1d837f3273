#!/bin/sh
# Stands for a researcher: its arguments are a JSON object on standard input, what it prints is its output.
topic=$(sed -n 's/.*"topic": *"\(\([^"\\]\|\\.\)*\)".*/\1/p')
echo "{\"report\": \"$topic Three sources agree that the moon has a hand in it.\"}"
