#!/bin/sh
# Stands for sending traffic to the other site. It is called at most once: whether it happened, a person can see.
echo "traffic goes to the other site" >&2
