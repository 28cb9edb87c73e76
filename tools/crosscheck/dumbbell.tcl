# The dumbbell of the cross-check in ns-2: ns dumbbell.tcl FROM TO ALGORITHMS SETTINGS, times in seconds.
# The algorithms are those of Agent/TCP/Linux, a flow for each; a setting is "ALGORITHM PARAMETER VALUE".
lassign $argv from to algorithms settings

# Without Flags the agent runs, and sees no timestamps.
remove-all-packet-headers
add-packet-header IP TCP Flags

set ns [new Simulator]
set left [$ns node]
set right [$ns node]
$ns duplex-link $left $right 20Mb 20ms DropTail
$ns queue-limit $left $right 66
$ns queue-limit $right $left 10000
set bottleneck [$ns monitor-queue $left $right ""]

set flows 0
foreach algorithm $algorithms {
    set source [$ns node]
    set sink [$ns node]
    $ns duplex-link $source $left 10000Mb 0ms DropTail
    $ns duplex-link $right $sink 10000Mb 0ms DropTail
    $ns queue-limit $source $left 100000

    set sender($flows) [new Agent/TCP/Linux]
    # Its headers are 40 bytes and 10 of timestamps.
    $sender($flows) set packetSize_ 1450
    $sender($flows) set timestamps_ true
    $sender($flows) set window_ 100000
    $sender($flows) set windowInit_ 10
    set receiver [new Agent/TCPSink/Sack1]
    $receiver set ts_echo_rfc1323_ true
    $ns attach-agent $source $sender($flows)
    $ns attach-agent $sink $receiver
    $ns connect $sender($flows) $receiver
    foreach setting $settings { eval $sender($flows) set_ca_default_param $setting }
    $ns at 0 "$sender($flows) select_ca $algorithm"

    set application [new Application/FTP]
    $application attach-agent $sender($flows)
    $ns at [expr 0.5 * $flows] "$application start"
    incr flows
}

# The counters of the bottleneck, and what each sender knows to have arrived.
proc count {} {
    global ns bottleneck sender flows
    set integral [$bottleneck get-pkts-integrator]
    $integral newpoint [$ns now] [$integral set lasty_]
    puts -nonewline "counters time [$ns now] packets [$bottleneck set pdepartures_] bytes [$bottleneck set bdepartures_]"
    puts -nonewline " drops [$bottleneck set pdrops_] queued [$integral set sum_]"
    for {set flow 0} {$flow < $flows} {incr flow} { puts -nonewline " flow [$sender($flow) set ack_]" }
    puts ""
}

$ns at $from count
$ns at $to "count; exit 0"
$ns run
