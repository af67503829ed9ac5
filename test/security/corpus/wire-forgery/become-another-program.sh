# The same process under another name, more than once; the last one's code is what counts.
exec bash -c 'exec env -i bash -c "exec -a init sh -c \"exit 45\""'
