import type { FoundSkills, SandboxState } from "@parley/core";
import type { Config, ProviderAnswer, StoredSecrets } from "@parley/gateway";
import type { MethodResult } from "@parley/protocol";
import type { AuditCheck, MessagesCheck } from "../audit/audit-rows.ts";
import type { HealthReport } from "../client/gateway-health.ts";
import type { RunningGateway } from "../client/running-gateway.ts";
import type { ConnectorStanding } from "../connectors/connector-report.ts";
import type { Distribution } from "./distribution.ts";

/** Facts about a file or directory. */
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
	/** The data directory. */
	readonly data: string;
	/** As this shell would start a gateway, or why it would not. */
	readonly config: Config | Error;
	/** The gateway that runs on the data directory. */
	readonly gateway: RunningGateway | undefined;
	/** Health report; null if this user may not read it. */
	readonly health: HealthReport | null;
	readonly versions: { readonly parley: string; readonly node: string; readonly sqlite: string };
	/** Milliseconds since the epoch. */
	now(): number;
	/** Undefined where there is no such file. */
	stat(path: string): Promise<PathFacts | undefined>;
	/** Bytes that this user can still write there. */
	freeBytes(path: string): Promise<number>;
	/** Writes a file there and removes it again; resolves with the time that the file system gave it. */
	writeProbe(directory: string): Promise<number>;
	/** Whether a server listens at an address. */
	answers(host: string, port: number): Promise<boolean>;
	/** Whether there is a program of this name in PATH, or at this path, that this user may execute. */
	program(command: string): Promise<boolean>;
	/** Undefined where the offline assistant answers. */
	provider(): Promise<ProviderAnswer | undefined>;
	sandbox(): Promise<SandboxState>;
	/** Rejects where the operator's rules cannot be used; resolves with the file, if there is one. */
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
	/** Reads all that is stored. Undefined if there are no hashes yet. */
	messages(): Promise<MessagesCheck | undefined>;
	/** Rejects if the file of the operator token is unusable; false if it does not exist. */
	operatorToken(): Promise<boolean>;
	/** Those that the running gateway knows. */
	tokens(): Promise<MethodResult<"list_tokens">["tokens"]>;
	/** Connectors that run, or that ended without a stop request. */
	connectors(): Promise<ConnectorStanding[]>;
	/** When the configured certificate ends, in milliseconds since the epoch. */
	certificateEnd(file: string): Promise<number>;
}
