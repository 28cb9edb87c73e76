// The dumbbell of the cross-check in ns-3: dumbbell FROM TO ALGORITHMS [ATTRIBUTE=VALUE ...], times in seconds.
// The algorithms are names of TypeIds without their namespace, a flow for each.

#include <ns3/applications-module.h>
#include <ns3/core-module.h>
#include <ns3/internet-module.h>
#include <ns3/network-module.h>
#include <ns3/point-to-point-module.h>
#include <ns3/traffic-control-module.h>

#include <cstdlib>
#include <iostream>
#include <sstream>

using namespace ns3;

namespace
{

const Time SAMPLE = MicroSeconds(500);

struct Bottleneck
{
    Ptr<Queue<Packet>> queue;
    uint64_t packets = 0;
    uint64_t bytes = 0;
    uint64_t drops = 0;
    double queued = 0; // packet-seconds
} bottleneck;

std::vector<Ptr<PacketSink>> sinks;

void
Sample()
{
    bottleneck.queued += bottleneck.queue->GetNPackets() * SAMPLE.GetSeconds();
    Simulator::Schedule(SAMPLE, &Sample);
}

void
Transmit(Ptr<const Packet> packet)
{
    bottleneck.packets++;
    bottleneck.bytes += packet->GetSize();
}

void
Drop(Ptr<const Packet>)
{
    bottleneck.drops++;
}

void
Count()
{
    std::cout << "counters time " << Simulator::Now().GetSeconds() << " packets " << bottleneck.packets << " bytes "
              << bottleneck.bytes << " drops " << bottleneck.drops << " queued " << bottleneck.queued;
    for (const auto& sink : sinks)
    {
        std::cout << " flow " << sink->GetTotalRx();
    }
    std::cout << std::endl;
}

NetDeviceContainer
Link(Ptr<Node> from, Ptr<Node> to, const char* rate, const char* delay, const char* limit, std::string network)
{
    PointToPointHelper link;
    link.SetDeviceAttribute("DataRate", StringValue(rate));
    link.SetChannelAttribute("Delay", StringValue(delay));
    link.SetQueue("ns3::DropTailQueue", "MaxSize", StringValue(limit));
    auto devices = link.Install(from, to);
    Ipv4AddressHelper(network.c_str(), "255.255.255.0").Assign(devices);
    // Addresses bring a queue discipline of their own.
    TrafficControlHelper().Uninstall(devices);
    return devices;
}

} // namespace

int
main(int argc, char** argv)
{
    const double from = std::atof(argv[1]);
    const double to = std::atof(argv[2]);
    // Its PRR sends more than what has arrived in the first ACKs of a recovery, into the queue that is still full: losses of a second
    // window and a second reduction.
    Config::SetDefault("ns3::TcpL4Protocol::RecoveryType", StringValue("ns3::TcpClassicRecovery"));
    Config::SetDefault("ns3::TcpSocket::SegmentSize", UintegerValue(1448));
    Config::SetDefault("ns3::TcpSocket::InitialCwnd", UintegerValue(10));
    Config::SetDefault("ns3::TcpSocket::DelAckCount", UintegerValue(1));
    Config::SetDefault("ns3::TcpSocket::SndBufSize", UintegerValue(8 << 20));
    Config::SetDefault("ns3::TcpSocket::RcvBufSize", UintegerValue(8 << 20));
    Config::SetDefault("ns3::TcpSocketBase::MinRto", StringValue("200ms"));
    for (int index = 4; index < argc; index++)
    {
        const std::string setting = argv[index];
        const auto sign = setting.find('=');
        Config::SetDefault(setting.substr(0, sign), StringValue(setting.substr(sign + 1)));
    }

    InternetStackHelper internet;
    NodeContainer routers(2);
    internet.Install(routers);
    auto devices = Link(routers.Get(0), routers.Get(1), "20Mbps", "20ms", "66p", "10.0.0.0");
    auto device = DynamicCast<PointToPointNetDevice>(devices.Get(0));
    bottleneck.queue = device->GetQueue();
    device->TraceConnectWithoutContext("PhyTxBegin", MakeCallback(&Transmit));
    // Without a discipline, what finds the device's queue full is dropped above it.
    auto control = routers.Get(0)->GetObject<TrafficControlLayer>();
    control->TraceConnectWithoutContext("TcDrop", MakeCallback(&Drop));

    std::istringstream algorithms(argv[3]);
    std::string algorithm;
    for (int flow = 0; algorithms >> algorithm; flow++)
    {
        NodeContainer hosts(2);
        internet.Install(hosts);
        const std::string network = "10." + std::to_string(flow + 1);
        Link(hosts.Get(0), routers.Get(0), "10Gbps", "0ms", "100000p", network + ".1.0");
        Link(routers.Get(1), hosts.Get(1), "10Gbps", "0ms", "100000p", network + ".2.0");
        auto type = TypeId::LookupByName("ns3::" + algorithm);
        hosts.Get(0)->GetObject<TcpL4Protocol>()->SetAttribute("SocketType", TypeIdValue(type));

        const InetSocketAddress any(Ipv4Address::GetAny(), 9);
        auto sink = PacketSinkHelper("ns3::TcpSocketFactory", any).Install(hosts.Get(1));
        sinks.push_back(DynamicCast<PacketSink>(sink.Get(0)));
        const Ipv4Address address((network + ".2.2").c_str());
        BulkSendHelper source("ns3::TcpSocketFactory", InetSocketAddress(address, 9));
        source.SetAttribute("MaxBytes", UintegerValue(0));
        source.SetAttribute("SendSize", UintegerValue(1448));
        source.Install(hosts.Get(0)).Start(Seconds(0.5 * flow));
    }
    Ipv4GlobalRoutingHelper::PopulateRoutingTables();

    Simulator::Schedule(SAMPLE, &Sample);
    Simulator::Schedule(Seconds(from), &Count);
    Simulator::Schedule(Seconds(to), &Count);
    Simulator::Stop(Seconds(to) + NanoSeconds(1));
    Simulator::Run();
    Simulator::Destroy();
}
