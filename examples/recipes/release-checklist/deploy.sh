#!/bin/sh
# Stands for a deployment, or with --back for that of the version before.
if [ "$1" = --back ]; then
	echo "the version before goes out again" >&2
else
	echo "3 of 3 machines have it" >&2
fi
