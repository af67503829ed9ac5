{code}
POSIXLY_CORRECT=1
# In POSIX mode functions cannot replace special built-ins such as these two, so the tests' commands can be restored.
\unset -f unset trap exit test [ builtin command eval echo printf read : true false diff cmp grep
\trap - DEBUG RETURN
\unset POSIXLY_CORRECT
shopt -u extdebug
{script}
case $? in
0) : >'{report}' ;;
*) exit 1 ;;
esac
