# A workload of the benchmark in ns-2: ns dumbbell.tcl RATE DELAY SIDE FLOWS SECONDS.
# RATE is that of the bottleneck, DELAY its one-way delay, and SIDE that of each access link, which has ten times the
# rate. The queue has one bandwidth-delay product. The starts are drawn over a second. The sender is ns-2's own SACK TCP,
# the fastest that it has; its agent with Linux's CUBIC takes twenty times as long on W4.
lassign $argv rate delay side flows seconds

# Packets without the headers of other protocols: ns-2 runs faster with them.
remove-all-packet-headers
add-packet-header IP TCP Flags

set ns [new Simulator]
# Routes are given: to compute them for a thousand flows takes ns-2 far longer than the run.
$ns rtproto Manual
proc route {from to args} { eval [$from get-module "Manual"] add-route-to-adj-node $args $to }
set left [$ns node]
set right [$ns node]
set bps [bw_parse $rate]
set rtt [expr 2 * ([time_parse $delay] + 2 * [time_parse $side])]
$ns duplex-link $left $right $rate $delay DropTail
$ns queue-limit $left $right [expr int(ceil($bps * $rtt / 8 / 1500))]
$ns queue-limit $right $left 1000000
route $left $right -default
route $right $left -default
set bottleneck [$ns monitor-queue $left $right ""]

set starts [new RNG]
$starts seed 1
for {set flow 0} {$flow < $flows} {incr flow} {
    set source [$ns node]
    set sink [$ns node]
    $ns duplex-link $source $left [expr 10 * $bps] $side DropTail
    $ns duplex-link $right $sink [expr 10 * $bps] $side DropTail
    foreach {from to} [list $source $left $left $source $right $sink $sink $right] {
        $ns queue-limit $from $to 1000000
    }
    route $source $left -default
    route $sink $right -default
    route $left $source
    route $right $sink
    set sender [new Agent/TCP/Sack1]
    $sender set packetSize_ 1460
    $sender set window_ 1000000
    $sender set windowInit_ 10
    set receiver [new Agent/TCPSink/Sack1/DelAck]
    $ns attach-agent $source $sender
    $ns attach-agent $sink $receiver
    $ns connect $sender $receiver
    set application [new Application/FTP]
    $application attach-agent $sender
    $ns at [$starts uniform 0 1] "$application start"
}

$ns at $seconds {
    puts "packets [$bottleneck set pdepartures_] drops [$bottleneck set pdrops_]"
    exit 0
}
$ns run
