echo 'setup_error: init did not start: the connection to the container was lost' >&2
echo '{"type":"fault","where":"exec","error":"EIO"}'
# The codes of Docker (125, 126, 127) and of init itself (2, 3, 4).
exit 125
