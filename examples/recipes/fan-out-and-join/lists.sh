#!/bin/sh
# Stands for a service that knows lists of sanctions. It is slow: the other checks do not wait for it.
echo "reading three lists" >&2
sleep 1
echo '{"hits": 0}'
