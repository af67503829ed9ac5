{code}
POSIXLY_CORRECT=1
# In this mode no function goes before these two, so that what the tests are written with is what it was.
\unset -f unset trap exit test [ builtin command eval echo printf read : true false diff cmp grep
\trap - DEBUG RETURN
\unset POSIXLY_CORRECT
shopt -u extdebug
{script}
case $? in
0) : >'{report}' ;;
*) exit 1 ;;
esac
