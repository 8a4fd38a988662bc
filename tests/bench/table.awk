# table.awk - rows of the benchmark's programs to a table with verdicts; its last line tells
#   row, what, value, unit, sense (< or >), goal, kind (g gate, t ratio of times, i no goal), notes

function number(v) { return v == int(v) ? sprintf("%d", v) : sprintf("%.2f", v) }

BEGIN { FS = "\t" }

NF < 7 { print "not a row: " $0; failed++; next }

{
    ok = $5 == "<" ? $3 <= $6 : $3 >= $6
    goal = $7 == "i" ? "" : ($5 == "<" ? "<= " : ">= ") number($6)
    verdict = $7 == "i" ? "" : ok ? "ok" : $7 == "g" ? "FAIL" : "MISSED"
    if ($7 == "g") { if (ok) passed++; else failed++ }
    if ($7 == "t") { if (ok) met++; else missed++ }
    if ($1 != last) print ""
    last = $1
    line = sprintf("%-5s  %-36s %9s %-17s %-9s %-6s  %s", $1, $2, number($3), $4, goal, verdict, $8)
    sub(/ +$/, "", line)
    print line
}

END {
    printf "\nfigures that repeat: %d met, %d missed\n", passed, failed
    printf "ratios of times: %d met, %d missed (no failure: the machine is shared)\n", met, missed
    printf "%d passed, %d failed\n", passed, failed
    exit failed || !passed
}
