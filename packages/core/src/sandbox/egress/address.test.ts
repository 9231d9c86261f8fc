import type { NetworkInterfaceInfo } from "node:os";
import { expect, test } from "vitest";
import { isNeighbour, isPublicAddress } from "./reach.ts";

test.each([
	// this network and loopback
	"0.0.0.0",
	"0.1.2.3",
	"127.0.0.1",
	"127.255.255.254",
	"::",
	"::1",
	// private
	"10.0.0.1",
	"172.16.0.1",
	"172.31.255.255",
	"192.168.1.1",
	"fc00::1",
	"fd12:3456:789a::1",
	"fec0::1",
	// shared addresses of carrier-grade NAT, including Alibaba's metadata service
	"100.64.0.1",
	"100.100.100.200",
	"100.127.255.255",
	// link-local addresses, including the metadata services of most clouds, and the metadata service for containers on
	// AWS
	"169.254.169.254",
	"169.254.170.2",
	"fe80::1",
	"febf::1",
	"fe80::1%eth0",
	// other metadata services
	"fd00:ec2::254",
	"192.0.0.192",
	"168.63.129.16",
	"::ffff:168.63.129.16",
	"64:ff9b::a83f:8110",
	// multicast and broadcast
	"224.0.0.1",
	"239.255.255.255",
	"255.255.255.255",
	"ff02::1",
	"ff0e::1",
	// reserved, documentation, benchmarks, relays
	"192.0.2.1",
	"198.51.100.1",
	"203.0.113.1",
	"198.18.0.1",
	"198.19.255.255",
	"192.88.99.1",
	"192.31.196.1",
	"192.52.193.1",
	"192.175.48.1",
	"240.0.0.1",
	"2001:db8::1",
	"3fff::1",
	"5f00::1",
	"2001:2::1",
	"2001:10::1",
	"2001:20::1",
	"100::1",
	"4000::1",
	"8000::1",
	// IPv4 inside IPv6: mapped, compatible, translated, 6to4, Teredo
	"::ffff:127.0.0.1",
	"::ffff:7f00:1",
	"::ffff:8.8.8.8",
	"::127.0.0.1",
	"::8.8.8.8",
	"::ffff:0:127.0.0.1",
	"64:ff9b::127.0.0.1",
	"64:ff9b::10.0.0.1",
	"64:ff9b::a9fe:a9fe",
	"64:ff9b:1::8.8.8.8",
	"2002:7f00:1::1",
	"2002:c0a8:101::1",
	"2002:808:808::1",
	"2001:0:4136:e378:8000:63bf:3fff:fdd2",
	// texts that are not addresses, or that URL parsers interpret differently
	"",
	"localhost",
	"2130706433",
	"0x7f.1",
	"0177.0.0.1",
	"127.1",
	"08.8.8.8",
	"8.8.8.8.",
	" 8.8.8.8",
	"8.8.8",
	"[2606:4700::1]",
	"256.8.8.8",
	"2606:4700::1%0",
])("%s is refused", (text) => {
	expect(isPublicAddress(text)).toBe(false);
});

test.each([
	"8.8.8.8",
	"1.1.1.1",
	"9.255.255.255",
	"11.0.0.0",
	"100.63.255.255",
	"100.128.0.0",
	"172.15.255.255",
	"172.32.0.0",
	"192.167.255.255",
	"192.169.0.0",
	"223.255.255.255",
	"168.63.129.17",
	"2606:4700:4700::1111",
	"2a00:1450:4001:82f::200e",
	"64:ff9b::8.8.8.8",
	"64:ff9b::808:808",
])("%s is public", (text) => {
	expect(isPublicAddress(text)).toBe(true);
});

test("a public address in a network of this machine counts as a neighbour", () => {
	const base = { netmask: "", mac: "", internal: false };
	const interfaces: Record<string, NetworkInterfaceInfo[]> = {
		eth0: [
			{ ...base, family: "IPv4", address: "8.8.4.4", cidr: "8.8.4.4/24" },
			{ ...base, family: "IPv6", address: "2a00:1:2:3::5", cidr: "2a00:1:2:3::5/64", scopeid: 0 },
		],
		tun0: [
			{ ...base, family: "IPv4", address: "9.9.9.9", cidr: "9.9.9.9/1" },
			{ ...base, family: "IPv4", address: "9.9.9.8", cidr: null },
		],
	};
	expect(isNeighbour("8.8.4.200", interfaces)).toBe(true);
	expect(isNeighbour("2a00:1:2:3:ffff::1", interfaces)).toBe(true);
	expect(isNeighbour("8.8.5.1", interfaces)).toBe(false);
	expect(isNeighbour("9.9.9.7", interfaces)).toBe(false);
	expect(isNeighbour("2a00:1:2:4::1", interfaces)).toBe(false);
	expect(isNeighbour("no address", interfaces)).toBe(false);
	expect(isNeighbour("127.0.0.1")).toBe(true);
});
