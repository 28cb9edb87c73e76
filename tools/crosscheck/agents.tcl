# One network of the comparison packet by packet in ns-2: ns agents.tcl AGENT RATE DELAY QUEUE FLOWS SECONDS TRACE.
# AGENT is the name of an agent; that of Linux has its module after a slash.
# RATE in bit/s, DELAY one way in seconds, QUEUE in packets. TRACE gets the packets as each sender sends them.
lassign $argv agent rate delay queue flows seconds trace
lassign [split $agent /] agent module

remove-all-packet-headers
add-packet-header IP TCP Flags

set ns [new Simulator]
set left [$ns node]
set right [$ns node]
$ns duplex-link $left $right $rate $delay DropTail
# Its DropTail keeps one packet less than its limit.
$ns queue-limit $left $right [expr $queue + 1]
$ns queue-limit $right $left 10000
set file [open $trace w]

for {set flow 0} {$flow < $flows} {incr flow} {
    set source [$ns node]
    set sink [$ns node]
    $ns duplex-link $source $left 10000Mb 0ms DropTail
    $ns duplex-link $right $sink 10000Mb 0ms DropTail
    $ns queue-limit $source $left 100000

    set sender [new Agent/TCP/$agent]
    $sender set window_ 100000
    # Otherwise the first packet has 40 bytes.
    $sender set syn_ false
    $sender set delay_growth_ false
    $sender set fid_ $flow
    if {$agent == "Newreno"} { set receiver [new Agent/TCPSink] } else { set receiver [new Agent/TCPSink/Sack1] }
    $ns attach-agent $source $sender
    $ns attach-agent $sink $receiver
    $ns connect $sender $receiver
    if {$agent == "Linux"} { $ns at 0 "$sender select_ca $module" }

    set application [new Application/FTP]
    $application attach-agent $sender
    $ns at [expr 0.5 * $flow] "$application start"
    $ns trace-queue $source $left $file
}

$ns at $seconds "close $file; exit 0"
$ns run
