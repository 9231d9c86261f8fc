import { plural } from "../../text/amounts.ts";

/** Texts of `parley start`. */
export const startTexts = {
	stopping: ({ seconds }: { readonly seconds: number }) => `stopping; running work gets up to ${seconds} s …`,
	connects: ({ platforms }: { readonly platforms: string }) => `connects to ${platforms}`,
	offlineWithoutKey: "model: offline (no API key): set ANTHROPIC_API_KEY to use Claude",
	anthropicKey: "ANTHROPIC_API_KEY is set",
	providerKey: ({ provider }: { readonly provider: string }) => `the key of ${provider} is set`,
	baseUrl: "a base URL is set",
	llama: "a local model server is configured",
	configured: ({ provider }: { readonly provider: string }) => `the provider ${provider} is configured`,
	noKey: "no API key is set",
	offline: ({ reason }: { readonly reason: string }) => `model: offline: ${reason}`,
	providerAt: ({ provider, host }: { readonly provider: string; readonly host: string }) =>
		`${provider} API at ${host}`,
	grpcClients: ({ address }: { readonly address: string }) => `${address} (gRPC: kontekst, roz)`,
	resumed: ({ sessions }: { readonly sessions: number }) =>
		`unfinished work in ${plural(sessions, "session")}`,
	inOtherTerminal: "In another terminal:",
	inOtherTerminalHere: "In another terminal, in this directory:",
	howToStop: "Press Ctrl-C to stop. Sessions and unfinished work are kept.",
	offlineModel: "offline (built in, needs no API key)",
	sends: ({ host }: { readonly host: string }) => `your messages and tool results to ${host}`,
	ozzieClients: "Ozzie clients connect without options: ozzie ask, ozzie tui",
	ozzieClientsAt: ({ url }: { readonly url: string }) =>
		`Ozzie clients connect with --gateway ${url}; start with --ozzie to connect without this option`,
	tokenNotRequired: "not required: every program on this machine has your permissions (--auth none)",
	tokenRequired: ({ command }: { readonly command: string }) =>
		`required from all clients: \`${command}\` prints it`,
	reachedInsecurely: "by other machines WITHOUT TLS: messages and the token can be read on the network",
	reachedOverTls: "by other machines, over TLS",
	reachedThroughProxies: "by other machines, through trusted proxies only",
	reachedThroughOwnProxy: "by other machines, through a proxy on this machine",
	reachedHere: "from this machine only",
	findCommand: "let the shell find parley",
	openChat: "open a chat",
	sendMessage: "send one message",
	listOfflineCommands: "list the commands of the offline model",
	showUsage: "show tokens and costs",
	alreadyRunning: ({
		pid,
		urls,
		data,
	}: {
		readonly pid: number;
		readonly urls: string;
		readonly data: string;
	}) => `Parley is already running: process ${pid}, at ${urls}, with the data in ${data}`,
	chatOrStop: ({ command, flag }: { readonly command: string; readonly flag: string }) =>
		`Open a chat with \`${command} chat${flag}\`, or stop it with \`${command} stop${flag}\`.`,
	secondGateway: "A second gateway needs its own directory and port: `--data DIR --listen 127.0.0.1:0`.",
} as const;
