sleep 100 &
kill -9 -1
sleep 0.2
exit 6
