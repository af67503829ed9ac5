# The same process executes several programs; the result must have the exit code of the last one.
exec bash -c 'exec env -i bash -c "exec -a init sh -c \"exit 45\""'
