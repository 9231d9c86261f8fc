import type { SandboxState, SkillsOnDisk } from "@parley/core";
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

/**
 * The machine, its configuration and its gateway, in the form that checks need. Each function may reject with the
 * reason.
 */
export interface System {
	readonly distribution: Distribution;
	/** User id of this process. Undefined on systems without user ids. */
	readonly uid: number | undefined;
	readonly data: string;
	/** Configuration for a gateway that this shell would start, or the error that prevents the start. */
	readonly config: Config | Error;
	readonly gateway: RunningGateway | undefined;
	/** Health report of the gateway. Null without a gateway, or if the report cannot be read. */
	readonly health: HealthReport | null;
	readonly versions: { readonly parley: string; readonly node: string; readonly sqlite: string };
	/** Returns the current time in milliseconds since the epoch. */
	now(): number;
	/** Resolves with facts about a path, or with undefined if it does not exist or cannot be read. */
	stat(path: string): Promise<PathFacts | undefined>;
	/** Resolves with the number of bytes that this user can still write in the directory. */
	freeBytes(path: string): Promise<number>;
	/** Writes a file in the directory and deletes it. Resolves with the modification time of the file. */
	writeProbe(directory: string): Promise<number>;
	/** Whether a server listens at an address. */
	answers(host: string, port: number): Promise<boolean>;
	/** Whether this user can execute a program. `command` is a path, or the name of a program in PATH. */
	program(command: string): Promise<boolean>;
	/**
	 * Resolves with the answer of the named provider, by default of the configured provider. Resolves with
	 * undefined for the offline model, and if the configuration is invalid.
	 */
	provider(name?: string): Promise<ProviderAnswer | undefined>;
	sandbox(): Promise<SandboxState>;
	/** Resolves with the policy file, if it exists. Rejects if the policy is invalid. */
	policy(): Promise<string | undefined>;
	/** Resolves with the skills of the data directory, and the files that cannot be used as skills. */
	skills(): Promise<SkillsOnDisk>;
	/** Resolves with the skills in the list of the running gateway, or with none if no gateway is running. */
	listedSkills(): Promise<MethodResult<"list_skills">["skills"]>;
	/** Whether the database exists. Rejects if it is damaged or has a later version. */
	database(): Promise<boolean>;
	/**
	 * Resolves with the number of stored passwords, and the number of passwords that the key can decrypt. Rejects if the
	 * key file cannot be used.
	 */
	storedSecrets(): Promise<StoredSecrets>;
	audit(): Promise<AuditCheck>;
	/**
	 * Verifies all stored text. Resolves with undefined without a database, or if the database has no hashes yet.
	 */
	messages(): Promise<MessagesCheck | undefined>;
	/** Whether the file of the operator token exists. Rejects if the file is unusable. */
	operatorToken(): Promise<boolean>;
	/** Resolves with the tokens of the running gateway. */
	tokens(): Promise<MethodResult<"list_tokens">["tokens"]>;
	/** Resolves with the connectors that are running, or that ended without a stop request. */
	connectors(): Promise<ConnectorStatus[]>;
	/** Resolves with the expiry time of the certificate, in milliseconds since the epoch. */
	certificateEnd(file: string): Promise<number>;
}
