export const mcpHelp = {
	notes: `
An MCP server gives the agent more tools. A local server is a program that runs
in the sandbox and can reach only hosts that you allow. Each call requires
approval, unless a rule allows it.
Servers are in mcp.servers of the configuration, and in mcp.json of the data
directory, a file that \`parley mcp add\` writes. They are also in .mcp.json of
each working directory that you trust. A change applies to the next message,
without a restart.

Examples:
  parley mcp add notes --write ~/notes -- mcp-server-memory
  parley mcp trust ~/projects/shop
  parley mcp login tracker
  parley mcp login tracker --dir ~/projects/shop
  parley mcp doctor

Editors and other agents start \`parley mcp serve\` to use this agent.
`,
	description: "list MCP servers, which give the agent more tools; add, trust and try them",
	dir: "working directory whose servers are included",
	list: "list MCP servers; the same as `parley mcp`",
	doctor: "start each server, and show its tools or its problem; exit code 1 if a server cannot be used",
	add: "add a server; write -- before a command that has options",
	newName: "name: a to z, 0 to 9 and -",
	program: "program: a name in PATH or a path; or the https address of a remote server",
	args: "arguments of the program",
	env: "environment variable of the program; may be repeated",
	tokenFrom: "environment variable of the gateway with the bearer token of a remote server",
	allowPrivate: "allow http, and addresses of this machine and its networks",
	timeout: "seconds until a call fails (default: 120)",
	serve: "serve this agent to an editor or another agent, as an MCP server over stdin and stdout",
	url: "address of the gateway, such as http://127.0.0.1:7777 (PARLEY_URL)",
	remove: "remove a server that `parley mcp add` added",
	name: "name of the server",
	trust: "trust the servers in .mcp.json of a working directory; a change requires trust again",
	server: "trust only this server; may be repeated",
	untrust: "stop trusting the servers of a working directory",
	login: "log in to a remote server with a browser, which can run on another machine",
	scope: "scopes to request (default: those that the server names)",
	clientId: "client that you have registered (default: Parley registers itself)",
	clientSecretFrom: "environment variable with the secret of that client",
	port: "port of 127.0.0.1 for the answer (default: a free port)",
	privateHost: "host of the authorization server, if its address is private; may be repeated",
	logout: "log out of a remote server",
	agent: "agent whose mcp.json has the server",
	envFrom: "environment variable of the gateway that the server gets, also in headers; may be repeated",
	read: "file or directory that the server can read; may be repeated",
	write: "directory that the server can change; may be repeated",
	host: "host that the server can reach over https, such as api.example.com or *.example.com; may be repeated",
	invalidPort: "Use a whole number from 1 to 65535.",
} as const;
