import { join } from "node:path";
import {
	type CallToolResult,
	Client,
	type ElicitRequest,
	type ElicitResult,
	StreamableHTTPClientTransport,
} from "@modelcontextprotocol/client";
import { readOperatorToken } from "@parley/gateway";
import { OzzieClient } from "../conformance/drivers/ozzie-client.ts";
import { type GatewayOptions, TestGateway } from "../conformance/gateway.ts";

export type AnswerForm = (
	request: ElicitRequest,
	signal: AbortSignal,
) => ElicitResult | Promise<ElicitResult>;

/** A simulated user of a client. Approves each form and records its message. */
export class Approver {
	readonly shown: string[] = [];
	readonly onForm: AnswerForm = ({ params }) => {
		this.shown.push(params.message);
		return { action: "accept", content: { decision: "approve" } };
	};
}

export interface ClientOptions {
	/** Token of the client. By default, the operator's token. */
	readonly token?: string | undefined;
	/** Answers each form. If undefined, the client does not support forms. */
	readonly onForm?: AnswerForm;
	readonly versionNegotiation?: NonNullable<ConstructorParameters<typeof Client>[1]>["versionNegotiation"];
}

/** A gateway that requires tokens, with clients of the official MCP SDK. */
export class Desk implements AsyncDisposable {
	readonly gateway: TestGateway;
	readonly #open: AsyncDisposable[] = [];

	private constructor(gateway: TestGateway) {
		this.gateway = gateway;
	}

	static async open({ config, ...options }: GatewayOptions = {}): Promise<Desk> {
		return new Desk(await TestGateway.start({ ...options, config: { auth: "token", ...config } }));
	}

	get url(): URL {
		return new URL("/mcp", this.gateway.url);
	}

	async token(): Promise<string> {
		return (await readOperatorToken(join(this.gateway.directory, "data"))) ?? "";
	}

	async client({ token, onForm, versionNegotiation }: ClientOptions = {}): Promise<McpClient> {
		const authorization = `Bearer ${token ?? (await this.token())}`;
		const transport = new StreamableHTTPClientTransport(this.url, {
			requestInit: { headers: { authorization } },
		});
		const client = new McpClient(transport, onForm, versionNegotiation);
		await client.connect();
		this.#open.push(client);
		return client;
	}

	async operator(): Promise<OzzieClient> {
		const headers = { authorization: `Bearer ${await this.token()}` };
		const client = await OzzieClient.connect(this.gateway.url, { headers });
		this.#open.push(client);
		return client;
	}

	async [Symbol.asyncDispose](): Promise<void> {
		for (const each of this.#open) await each[Symbol.asyncDispose]();
		await this.gateway[Symbol.asyncDispose]();
	}
}

interface Result {
	readonly texts: readonly string[];
	readonly isError: boolean;
	/** Structured content of the result. */
	readonly facts: Record<string, unknown>;
}

export interface CallOptions {
	readonly signal?: AbortSignal;
	readonly onprogress?: (message: string | undefined) => void;
}

export class McpClient implements AsyncDisposable {
	readonly client: Client;
	readonly transport: StreamableHTTPClientTransport;

	constructor(
		transport: StreamableHTTPClientTransport,
		onForm?: AnswerForm,
		versionNegotiation?: ClientOptions["versionNegotiation"],
	) {
		this.transport = transport;
		this.client = new Client(
			{ name: "desk", version: "1.0.0" },
			{
				capabilities: onForm ? { elicitation: { form: {} } } : {},
				...(versionNegotiation && { versionNegotiation }),
			},
		);
		if (onForm) {
			this.client.setRequestHandler("elicitation/create", (request, ctx) =>
				onForm(request, ctx.mcpReq.signal),
			);
		}
	}

	async connect(): Promise<void> {
		await this.client.connect(this.transport);
	}

	call(name: string, args: Record<string, unknown>, options: CallOptions = {}): Promise<Result> {
		return callTool(this.client, name, args, options);
	}

	async [Symbol.asyncDispose](): Promise<void> {
		await this.client.close();
	}
}

export async function callTool(
	client: Client,
	name: string,
	args: Record<string, unknown>,
	{ signal, onprogress }: CallOptions = {},
): Promise<Result> {
	const result: CallToolResult = await client.callTool(
		{ name, arguments: args },
		{
			timeout: 60_000,
			...(signal && { signal }),
			...(onprogress && { onprogress: ({ message }) => onprogress(message) }),
		},
	);
	return {
		texts: result.content.map((block) => (block.type === "text" ? block.text : block.type)),
		isError: result.isError ?? false,
		facts: Object(result.structuredContent),
	};
}
