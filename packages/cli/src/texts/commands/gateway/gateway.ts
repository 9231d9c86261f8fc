/** Help of `parley gateway` and `parley start`. */
export const gatewayHelp = {
	gateway: "run the gateway, for service managers and containers",
	start: "run the gateway and print the next steps",
	connectors: "also run the connector of each chat platform with tokens",
	logFile: "write log lines only to the log file of the data directory, not to stderr",
	ozzie: "listen on 127.0.0.1:18420 as well, the default address of Ozzie clients",
} as const;
