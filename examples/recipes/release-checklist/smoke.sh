#!/bin/sh
# Stands for a look at what is out: an exit status other than 0 means that it is not well.
echo "front page, search and checkout answer" >&2
