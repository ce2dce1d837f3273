#!/bin/sh
# Stands for what takes a machine out of service.
echo "no more traffic is sent to it" >&2
