import type { FoundSkills, SandboxState } from "@parley/core";
import type { Config, ProviderAnswer, StoredSecrets } from "@parley/gateway";
import type { MethodResult } from "@parley/protocol";
import type { AuditCheck, MessagesCheck } from "../audit/audit-rows.ts";
import type { HealthReport } from "../client/gateway-health.ts";
import type { RunningGateway } from "../client/running-gateway.ts";
import type { ConnectorStatus } from "../connectors/connector-report.ts";
import type { Distribution } from "./distribution.ts";

export interface PathFacts {
	readonly mode: number;
	readonly uid: number;
	readonly isDirectory: boolean;
}

/** The machine, its configuration and its gateway, as checks see them. Each function may reject with the reason. */
export interface System {
	readonly distribution: Distribution;
	/** User of this process; undefined on systems without users. */
	readonly uid: number | undefined;
	readonly data: string;
	/** Configuration of a gateway that this shell would start, or the error of it. */
	readonly config: Config | Error;
	readonly gateway: RunningGateway | undefined;
	/** Health report; null if this user may not read it. */
	readonly health: HealthReport | null;
	readonly versions: { readonly parley: string; readonly node: string; readonly sqlite: string };
	/** Milliseconds since the epoch. */
	now(): number;
	/** Undefined if the file does not exist. */
	stat(path: string): Promise<PathFacts | undefined>;
	/** Bytes that this user can still write there. */
	freeBytes(path: string): Promise<number>;
	/** Writes a file in the directory and deletes it. Resolves with its modification time. */
	writeProbe(directory: string): Promise<number>;
	/** Whether a server listens at an address. */
	answers(host: string, port: number): Promise<boolean>;
	/** Whether this user can execute the program: a name in PATH, or a path. */
	program(command: string): Promise<boolean>;
	/** The answer of the named provider. Default: the gateway's main provider. Undefined for the offline model. */
	provider(name?: string): Promise<ProviderAnswer | undefined>;
	sandbox(): Promise<SandboxState>;
	/** Resolves with the policy file, if there is one. Rejects if it is invalid. */
	policy(): Promise<string | undefined>;
	/** The skills of the data directory, and its files that cannot be used. */
	skills(): Promise<FoundSkills>;
	/** Skills as the running gateway lists them; empty without a gateway. */
	listedSkills(): Promise<MethodResult<"list_skills">["skills"]>;
	/** Rejects if the database is damaged or of a later version; false if it does not exist. */
	database(): Promise<boolean>;
	/** Rejects if the key file is damaged or open to other users. */
	storedSecrets(): Promise<StoredSecrets>;
	audit(): Promise<AuditCheck>;
	/** Reads all stored text. Undefined if there are no hashes yet. */
	messages(): Promise<MessagesCheck | undefined>;
	/** Rejects if the file of the operator token is unusable; false if it does not exist. */
	operatorToken(): Promise<boolean>;
	/** Tokens of the running gateway. */
	tokens(): Promise<MethodResult<"list_tokens">["tokens"]>;
	/** Connectors that run, or that ended without a stop request. */
	connectors(): Promise<ConnectorStatus[]>;
	/** Expiry of the certificate, in milliseconds since the epoch. */
	certificateEnd(file: string): Promise<number>;
}
