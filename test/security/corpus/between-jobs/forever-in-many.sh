for i in 1 2 3 4 5; do (trap '' TERM HUP INT; setsid sh -c 'while :; do :; done' &) ; done
while :; do echo left > /tmp/left; done
