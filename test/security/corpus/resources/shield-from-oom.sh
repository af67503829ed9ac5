echo 0 > /proc/self/oom_score_adj 2>/dev/null
echo -999 > /proc/self/oom_score_adj 2>/dev/null
echo 1000 > /proc/1/oom_score_adj 2>/dev/null
# Init must stay alive, because it reports how the program ended.
x=x; while :; do x="$x$x"; done
