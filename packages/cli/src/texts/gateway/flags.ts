/** Help of the options of commands that run or install a gateway. */
export const gatewayFlagHelp = {
	listen: "address to listen on; may be repeated (default: 127.0.0.1:7777)",
	data: "data directory for sessions and tokens",
	root: "directory that tools may use; may be repeated (default: the current directory)",
	provider:
		"model provider: auto, anthropic, offline, openai, gemini or another provider (default: auto, which is the first provider with a key)",
	model: "model of the provider: a name, or fast, standard, max",
	baseUrl: "URL of another server for the Messages API",
	reasoning: "reasoning level of models: off, low, medium, high, xhigh or max",
	auth: "clients that need a token: local (other users, default), token (all), none",
	sandbox: "sandbox for commands: required, preferred (default), off or container",
	tlsCert: "TLS certificate of the gateway in PEM format; requires --tls-key",
	tlsKey: "private key of the certificate",
	trustedProxy: "reverse proxy that is trusted: an IP address or a network; may be repeated",
	publicUrl: "address of the gateway behind the proxy: https://HOST",
	insecureLan: "allow other machines without TLS or proxy; tokens are sent unencrypted",
	policy: "policy file (default: policy.jsonc in the data directory)",
	notes: `
You can also set the flags from --listen to --log-level, except --config, in the
configuration file, and as environment variables such as PARLEY_LISTEN. API keys
come from environment variables such as ANTHROPIC_API_KEY, or from
\`parley setup\`, which stores them.`,
} as const;
