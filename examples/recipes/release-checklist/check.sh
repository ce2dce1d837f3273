#!/bin/sh
# Stands for a check: {"check": …, "version": …} comes in. An exit status other than 0 is a check that did not pass.
# The notes of 2.0.0 are missing here.
arguments=$(cat)
case $arguments in
*notes*2.0.0*)
	echo "CHANGELOG has nothing about 2.0.0" >&2
	exit 1
	;;
esac
echo '{"passed": true}'
