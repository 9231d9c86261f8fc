/** Help of `parley gateway` and `parley start`. */
export const gatewayHelp = {
	gateway: "run the gateway, for service managers and containers",
	start: "run the gateway and print the next steps",
	ozzie: "listen on 127.0.0.1:18420 as well, the default address of Ozzie clients",
} as const;
