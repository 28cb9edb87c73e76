#!/bin/bash
# Settings for a test of shell scripts.
sysctl -q net.ipv4.tcp_sack="$((0*1))" > /dev/null 2>&1
