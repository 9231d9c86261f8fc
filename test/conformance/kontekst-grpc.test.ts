import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { create, createFileRegistry, fromBinary } from "@bufbuild/protobuf";
import { FileDescriptorProtoSchema, FileDescriptorSetSchema } from "@bufbuild/protobuf/wkt";
import { credentials, loadPackageDefinition, makeClientConstructor, status } from "@grpc/grpc-js";
import { loadFileDescriptorSetFromBuffer, loadSync } from "@grpc/proto-loader";
import { ManualClock } from "@parley/base/testing";
import { calls, ScriptedModel, says, stuck } from "@parley/core/testing";
import { readOperatorToken } from "@parley/gateway";
import { service as healthService } from "grpc-health-check";
import { expect } from "vitest";
import { askDaemon, KontekstStream } from "./drivers/kontekst-client.ts";
import { OzzieClient } from "./drivers/ozzie-client.ts";
import { RawRun } from "./drivers/raw-run.ts";
import { TestGateway } from "./gateway.ts";
import { verifiesOn } from "./verifies.ts";

const withTokens = { config: { auth: "token" } } as const;

async function operatorOf(gateway: TestGateway) {
	const token = (await readOperatorToken(gateway.path("data"))) ?? "";
	const headers = { authorization: `Bearer ${token}` };
	return { token, client: await OzzieClient.connect(gateway.url, { headers }) };
}

verifiesOn(
	"kontekst",
	["kontekst.token"],
	"a client sends its token in the metadata, and gets a status if it is refused",
	async () => {
		await using gateway = await TestGateway.start(withTokens);
		const { token, client } = await operatorOf(gateway);
		await using operator = client;
		expect(await askDaemon(gateway.url, "getStatus", { token })).toMatchObject({ endpoint: "" });
		const hint = expect.stringContaining("Authorization: Bearer TOKEN");
		for (const access of [{}, { token: "gw_operator_wrong_wrong" }]) {
			const refused = askDaemon(gateway.url, "getStatus", access);
			await expect(refused).rejects.toMatchObject({ code: status.UNAUTHENTICATED, details: hint });
			await using stream = new KontekstStream(gateway.url, access);
			stream.start({ prompt: "hello" });
			expect(await stream.ended()).toMatchObject({ code: status.UNAUTHENTICATED });
			expect(stream.events).toEqual([]);
		}
		const created = await operator.call("create_token", { kind: "observer", name: "wall" });
		const observer = { token: String(created["token"]) };
		for (const method of ["getStatus", "shutdown"] as const) {
			const refused = askDaemon(gateway.url, method, observer);
			await expect(refused).rejects.toMatchObject({ code: status.PERMISSION_DENIED });
		}
		await using stream = new KontekstStream(gateway.url, observer);
		stream.start({ prompt: "hello" });
		expect(await stream.until("failed")).toMatchObject({
			runId: "",
			error: expect.stringContaining("does not have the permission session.open"),
		});
	},
);

verifiesOn("kontekst", ["kontekst.revoked"], "a stream ends when its token is revoked", async () => {
	await using gateway = await TestGateway.start({ ...withTokens, model: new ScriptedModel(stuck("once")) });
	const { client } = await operatorOf(gateway);
	await using operator = client;
	const created = await operator.call("create_token", { kind: "operator", name: "desk" });
	await using stream = new KontekstStream(gateway.url, { token: String(created["token"]) });
	stream.start({ prompt: "tell" });
	await stream.until("token");
	await operator.call("revoke_token", { token_id: "desk" });
	expect(await stream.ended()).toMatchObject({ code: status.UNAUTHENTICATED });
});

const write = calls("call_a", "write_file", { path: "a.txt", content: "one" });

verifiesOn(
	"kontekst",
	["kontekst.stops"],
	"a gateway that stops ends its streams with UNAVAILABLE, and keeps a run that waits for a decision",
	async () => {
		await using gateway = await TestGateway.start({ model: new ScriptedModel([write], [says("written")]) });
		await using stream = new KontekstStream(gateway.url);
		stream.start({ prompt: "write" });
		await stream.proposed();
		await gateway.restart();
		expect(await stream.ended()).toMatchObject({
			code: status.UNAVAILABLE,
			details: "the gateway is stopping; try again when it has restarted",
		});
		await using other = await OzzieClient.connect(gateway.url);
		await other.open({ session_id: String(stream.events[0]?.value["sessionId"]), after_seq: 0 });
		const prompt = await other.event("prompt.request");
		await other.call("prompt_response", { token: prompt.payload["token"], value: true });
		expect((await other.event("assistant.message")).payload).toMatchObject({ content: "written" });
	},
);

verifiesOn(
	"kontekst",
	["kontekst.revoked"],
	"a run whose token is revoked while it waits for a decision is cancelled",
	async () => {
		await using gateway = await TestGateway.start({ ...withTokens, model: new ScriptedModel([write]) });
		const { client } = await operatorOf(gateway);
		await using operator = client;
		const created = await operator.call("create_token", { kind: "operator", name: "desk" });
		await using stream = new KontekstStream(gateway.url, { token: String(created["token"]) });
		stream.start({ prompt: "write" });
		await stream.proposed();
		await operator.open({ session_id: String(stream.events[0]?.value["sessionId"]), after_seq: 0 });
		await operator.call("revoke_token", { token_id: "desk" });
		expect((await operator.event("assistant.message")).payload).toMatchObject({ error: "cancelled" });
	},
);

verifiesOn(
	"kontekst",
	["kontekst.revoked-unread"],
	"a client that does not read loses its connection 5 s after its token is revoked",
	async () => {
		const clock = new ManualClock();
		const received = Promise.withResolvers<void>();
		const model = new ScriptedModel(async function* (_, signal) {
			yield says("word ".repeat(200_000));
			received.resolve();
			await once(signal, "abort");
		});
		await using gateway = await TestGateway.start({ ...withTokens, clock, model });
		const { client } = await operatorOf(gateway);
		await using operator = client;
		const created = await operator.call("create_token", { kind: "operator", name: "desk" });
		await using stream = new RawRun(gateway.url, { token: String(created["token"]) });
		stream.send({ start: { prompt: "tell" } });
		await stream.answered();
		// The reply of the model exceeds the flow-control window of the client, so the gateway cannot send it completely.
		await received.promise;
		await operator.call("revoke_token", { token_id: "desk" });
		await stream.reached();
		clock.advance(5_000);
		await stream.closed();
	},
);

verifiesOn(
	"kontekst",
	["kontekst.health"],
	"health of the gateway and of each service needs no credentials",
	async () => {
		await using gateway = await TestGateway.start(withTokens);
		const Health = makeClientConstructor(healthService, "Health");
		const client = new Health(new URL(gateway.url).host, credentials.createInsecure());
		const check = (service: string): Promise<unknown> =>
			new Promise((resolve) => {
				client["check"]?.({ service }, (error: { code: number } | null, answer: unknown) =>
					resolve(error?.code ?? answer),
				);
			});
		for (const service of ["", "kontekst.AgentService", "kontekst.DaemonService"]) {
			expect(await check(service)).toEqual({ status: "SERVING" });
		}
		expect(await check("bakery.BreadService")).toBe(status.NOT_FOUND);
		client.close();
	},
);

verifiesOn(
	"kontekst",
	["kontekst.reflection"],
	"a client without a schema calls a method by reflection",
	async () => {
		await using gateway = await TestGateway.start();
		for (const version of ["v1", "v1alpha"]) {
			const reflection = await reflect(gateway.url, version);
			const { services } = await reflection({ listServices: "" });
			expect(services).toEqual([
				...[
					"grpc.health.v1.Health",
					"kontekst.AgentService",
					"kontekst.DaemonService",
					"roz.v1.AgentService",
				],
			]);
			const { file } = await reflection({ fileContainingSymbol: "kontekst.DaemonService" });
			const { DaemonService } = Object(loadPackageDefinition(packageOf(file))["kontekst"]);
			const client = new DaemonService(new URL(gateway.url).host, credentials.createInsecure());
			const answer = await new Promise((resolve, reject) => {
				client.getStatus({}, (error: unknown, received: unknown) =>
					error ? reject(error) : resolve(received),
				);
			});
			expect(answer).toMatchObject({ data_dir: gateway.path("data") });
			client.close();
		}
	},
);

verifiesOn("roz", ["roz.reflection"], "reflection returns a schema that defines each used type", async () => {
	await using gateway = await TestGateway.start();
	for (const version of ["v1", "v1alpha"]) {
		const reflection = await reflect(gateway.url, version);
		for (const fileContainingSymbol of ["roz.v1.AgentService", "kontekst.AgentService"]) {
			const { file } = await reflection({ fileContainingSymbol });
			const set = create(FileDescriptorSetSchema, {
				// The service returns the requested file before its imports, but `FileDescriptorSet` requires the imports
				// before the file.
				file: file.map((bytes) => fromBinary(FileDescriptorProtoSchema, bytes)).toReversed(),
			});
			// Throws for a missing import or type, as grpcurl does.
			expect(createFileRegistry(set).getService(fileContainingSymbol)?.name).toBe("AgentService");
		}
	}
});

interface Reflected {
	readonly services: readonly string[];
	/** Serialised `google.protobuf.FileDescriptorProto` messages. */
	readonly file: readonly Buffer[];
}

/** Returns a function that sends each question on a new stream. */
async function reflect(url: string, version: string): Promise<(question: object) => Promise<Reflected>> {
	const path = `proto/grpc/reflection/${version}/reflection.proto`;
	const proto = loadSync(
		fileURLToPath(new URL(path, import.meta.resolve("@grpc/reflection").replace(/src\/[^/]*$/, ""))),
	);
	const { ServerReflection } = Object(loadPackageDefinition(proto)["grpc"]).reflection[version];
	const client = new ServerReflection(new URL(url).host, credentials.createInsecure());
	return async (question) => {
		const stream = client.ServerReflectionInfo();
		stream.end(question);
		const [answer] = await Array.fromAsync<Record<string, Record<string, unknown>>>(stream);
		const services = Object(answer?.["listServicesResponse"]).service ?? [];
		return {
			services: services.map(({ name }: { name: string }) => name).toSorted(),
			file: Object(answer?.["fileDescriptorResponse"]).fileDescriptorProto ?? [],
		};
	};
}

function packageOf(files: readonly Buffer[]) {
	// Field 1 of a `google.protobuf.FileDescriptorSet` contains files.
	const parts = files.flatMap((file) => [Buffer.from([10, ...varint(file.length)]), file]);
	return loadFileDescriptorSetFromBuffer(Buffer.concat(parts));
}

/** Encodes a varint: https://protobuf.dev/programming-guides/encoding/#varints */
function varint(value: number): number[] {
	return value < 128 ? [value] : [(value % 128) + 128, ...varint(Math.floor(value / 128))];
}
