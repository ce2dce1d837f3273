#!/bin/sh
# Stands for a look at a service: here a restart helps the search, and not the checkout.
case $(cat) in
*search*) echo '{"healthy": true}' ;;
*) echo '{"healthy": false}' ;;
esac
