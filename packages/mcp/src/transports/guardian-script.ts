/**
 * Reads lines `add <pid>` and `del <pid>` until its input ends, as it does when the host ends in whatever way. Then it
 * gives what is left half a second to leave by itself, and as long again after SIGTERM. A process that got the id of one
 * that is gone is told apart by when it was started.
 */
export const guardianScript = `
look() {
  parent= group= session= started=
  IFS= read -r stat < "/proc/$1/stat" || return 1
  set -f
  set -- \${stat##*) }
  set +f
  case $1 in Z|X|x) return 1 ;; esac
  parent=$2 group=$3 session=$4
  shift 19
  started=$1
}
roots=
while read -r verb pid; do
  case $verb in
    add)
      look "$pid"
      roots="$roots $pid:$started" ;;
    del)
      kept=
      for root in $roots; do [ "\${root%%:*}" = "$pid" ] || kept="$kept $root"; done
      roots=$kept ;;
  esac
done 2>/dev/null
[ -n "$roots" ] || exit 0
alive() {
  kin=
  for root in $roots; do
    [ -d /proc/self ] || { kin="$kin \${root%%:*}"; continue; }
    look "\${root%%:*}"
    kin="$kin \${root%%:*}"
    # One that is gone may have left others of its group, unless its id is somebody else's by now.
    [ -z "$started" ] || [ "$started" = "\${root#*:}" ] || kin="\${kin% *}"
  done
  [ -d /proc/self ] || return 0
  grew=1
  while [ "$grew" = 1 ]; do
    grew=0
    for dir in /proc/[0-9]*; do
      each=\${dir#/proc/}
      case " $kin " in *" $each "*) continue ;; esac
      look "$each" || continue
      case " $kin " in *" $parent "*|*" $group "*|*" $session "*) kin="$kin $each" grew=1 ;; esac
    done
  done
}
{
  sleep 0.5 || sleep 1
  for signal in TERM KILL; do
    alive
    for each in $kin; do
      kill -s "$signal" -- "-$each"
      kill -s "$signal" "$each"
    done
    [ "$signal" = KILL ] || sleep 0.5 || sleep 1
  done
} 2>/dev/null
`
