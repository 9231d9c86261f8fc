// biome-ignore-all format: written by `vitest run packages/core/src/store/migrations/fresh-schema.test.ts -u`
import type { FreshSchema } from "@parley/base";

/** Schema that the migrations create in an empty SQLite database. */
export const freshSchema: FreshSchema = {
	migrations: [
		"0000-kv",
		"0001-sessions",
		"0002-models",
		"0003-operators",
		"0004-trust",
		"0005-tasks",
		"0006-text-hashes",
		"0007-hashed-from",
		"0008-small-commits",
		"0009-run-options",
		"0010-memories",
		"0011-schedules",
		"0012-trusted-skills",
		"0013-trusted-content",
		"0014-message-context",
		"0015-votes",
		"0016-notices",
		"0017-joined-messages",
		"0018-background-commands",
		"0019-mcp-tools",
		"0020-stopped-by",
		"0021-file-changes",
	],
	schema: `
CREATE TABLE "kysely_migration" ("name" varchar(255) not null primary key, "timestamp" varchar(255) not null);
CREATE TABLE "kysely_migration_lock" ("id" varchar(255) not null primary key, "is_locked" integer default 0 not null);
CREATE TABLE "kv" ("namespace" text not null, "key" text not null, "value" text not null, "expires" bigint, constraint "kv_key" primary key ("namespace", "key"));
CREATE INDEX "kv_expires" on "kv" ("expires");
CREATE TABLE "sessions" ("epoch" bigint not null, "v" integer not null, "id" text primary key, "owner" text not null, "external_key" text, "title" text not null, "root_dir" text not null, "status" text not null, "last_seq" bigint not null, "message_count" bigint not null, "input_tokens" bigint not null, "output_tokens" bigint not null, "created_at" bigint not null, "updated_at" bigint not null, "left_at" bigint, "model" text, "profile" text default 'default' not null, "taint" text default '' not null, "titled_by" text, "place" text, "task_id" text, "hashed_from" bigint default 1 not null, constraint "sessions_external_key" unique ("owner", "external_key"));
CREATE TABLE "events" ("epoch" bigint not null, "v" integer not null, "position" integer primary key autoincrement, "id" text not null, "session_id" text not null, "seq" bigint not null, "type" text not null, "at" bigint not null, "data" text not null, "hash" text, constraint "events_seq" unique ("session_id", "seq"));
CREATE TABLE "runs" ("epoch" bigint not null, "v" integer not null, "id" text primary key, "session_id" text not null, "ordinal" bigint not null, "state" text not null, "content" text not null, "accept_all" integer not null, "cancel_requested" integer not null, "created_at" bigint not null, "ended_at" bigint, "images" text, "retry_of" text, "attachments" text, "correlation" text, "actor" text, "hash" text, "options" text, "context" text, "joined" text, "cancelled_by" text, constraint "runs_ordinal" unique ("session_id", "ordinal"));
CREATE TABLE "steps" ("epoch" bigint not null, "v" integer not null, "run_id" text not null, "n" integer not null, "at" bigint not null, "data" text not null, "hash" text, constraint "steps_key" primary key ("run_id", "n"));
CREATE TABLE "prompts" ("epoch" bigint not null, "v" integer not null, "token" text primary key, "session_id" text not null, "run_id" text not null, "call_id" text not null, "state" text not null, "seq" bigint not null, "request" text not null, "answer" text, "floor" integer not null, "scope" text, "binding" text, "expires_at" bigint not null, "reminded" integer default 0 not null, "created_at" bigint default 0 not null, "wanted_grant" text, "votes" text, "notices" text, "due_at" bigint);
CREATE TABLE "grants" ("epoch" bigint not null, "v" integer not null, "id" text primary key, "session_id" text not null, "kind" text not null, "scope" text, "granted_by" text not null, "created_at" bigint not null, "expires_at" bigint, "ended_at" bigint);
CREATE TABLE "secrets" ("epoch" bigint not null, "v" integer not null, "id" text primary key, "session_id" text not null, "sealed" text not null, "created_at" bigint not null);
CREATE TABLE "keys" ("epoch" bigint not null, "v" integer not null, "principal" text not null, "key" text not null, "request" text not null, "response" text not null, "created_at" bigint not null, constraint "keys_key" primary key ("principal", "key"));
CREATE INDEX runs_open on runs (session_id, state) where state <> 'ended';
CREATE INDEX prompts_open on prompts (session_id) where state = 'open';
CREATE INDEX "prompts_call" on "prompts" ("run_id", "call_id");
CREATE INDEX "grants_session" on "grants" ("session_id");
CREATE INDEX "keys_created" on "keys" ("created_at");
CREATE TABLE "steers" ("epoch" bigint not null, "v" integer not null, "id" text primary key, "run_id" text not null, "ordinal" integer not null, "content" text not null, "created_at" bigint not null, "actor" text, "hash" text, "context" text, constraint "steers_order" unique ("run_id", "ordinal"));
CREATE TABLE "compactions" ("epoch" bigint not null, "v" integer not null, "session_id" text not null, "n" integer not null, "level" text not null, "run_ordinal" bigint not null, "message" integer not null, "summary" text, "at" bigint not null, "hash" text, constraint "compactions_key" primary key ("session_id", "n"));
CREATE TABLE "usage_days" ("epoch" bigint not null, "v" integer not null, "scope" text not null, "day" text not null, "model" text not null, "provider" text not null, "calls" bigint not null, "input_tokens" bigint not null, "output_tokens" bigint not null, "cache_read_tokens" bigint not null, "cache_write_tokens" bigint not null, "cost" bigint not null, constraint "usage_days_key" primary key ("scope", "day", "model", "provider"));
CREATE TABLE "budgets" ("epoch" bigint not null, "v" integer not null, "scope" text not null, "period" text not null, "limit_cost" bigint, "set_by" text not null, "set_at" bigint not null, constraint "budgets_key" primary key ("scope", "period"));
CREATE TABLE "files" ("epoch" bigint not null, "v" integer not null, "id" text primary key, "owner" text not null, "session_id" text, "name" text not null, "media_type" text not null, "bytes" bigint not null, "sha256" text not null, "created_at" bigint not null, "expires_at" bigint not null);
CREATE TABLE "feedback" ("epoch" bigint not null, "v" integer not null, "session_id" text not null, "run_id" text not null, "principal" text not null, "rating" text not null, "comment" text not null, "at" bigint not null, constraint "feedback_key" primary key ("run_id", "principal"));
CREATE INDEX "files_session" on "files" ("session_id");
CREATE INDEX "files_expiry" on "files" ("expires_at");
CREATE INDEX "feedback_session" on "feedback" ("session_id");
CREATE INDEX "secrets_session" on "secrets" ("session_id");
CREATE INDEX "prompts_session" on "prompts" ("session_id");
CREATE INDEX "sessions_updated" on "sessions" ("updated_at");
CREATE TABLE "search_texts" ("id" integer primary key autoincrement, "epoch" bigint not null, "v" integer not null, "session_id" text not null, "kind" text not null, "text" text not null);
CREATE INDEX "search_texts_session" on "search_texts" ("session_id", "kind");
CREATE VIRTUAL TABLE search_index
		using fts5(text, content = '', contentless_delete = 1, tokenize = 'trigram');
CREATE TRIGGER search_texts_removed after delete on search_texts begin
		delete from search_index where rowid = old.id; end;
CREATE TABLE "tokens" ("id" text primary key, "kind" text not null, "name" text not null, "hash" text not null, "platform" text, "tenants" text, "sessions" text, "created_at" bigint not null, "last_used_at" bigint, "expires_at" bigint, "revoked_at" bigint, "epoch" bigint not null, "v" integer not null);
CREATE TABLE "people" ("id" text primary key, "platform" text not null, "tenant" text not null, "user_id" text not null, "name" text not null, "role" text not null, "added_by" text not null, "created_at" bigint not null, "updated_at" bigint not null, "epoch" bigint not null, "v" integer not null);
CREATE TABLE "pairings" ("id" text primary key, "kind" text not null, "code_hash" text not null, "platform" text, "tenant" text, "user_id" text, "name" text, "role" text, "created_at" bigint not null, "expires_at" bigint not null, "settled_at" bigint, "epoch" bigint not null, "v" integer not null);
CREATE TABLE "places" ("key" text primary key, "profile" text not null, "set_by" text not null, "set_at" bigint not null, "epoch" bigint not null, "v" integer not null);
CREATE TABLE "channel_grants" ("id" text primary key, "place" text not null, "people" text, "tools" text, "classes" text, "reason" text not null, "max_actions" bigint not null, "used_actions" bigint not null, "denials" bigint not null, "policy_version" text not null, "granted_by" text not null, "created_at" bigint not null, "expires_at" bigint not null, "alive_at" bigint not null, "told" text not null, "ended_at" bigint, "end_reason" text, "epoch" bigint not null, "v" integer not null);
CREATE TABLE "audit" ("seq" bigint primary key, "at" bigint not null, "principal" text not null, "via" text not null, "action" text not null, "object" text not null, "decision" text not null, "args_sha256" text, "args" text, "grant_id" text, "prev_hash" text not null, "hash" text not null, "v" integer not null);
CREATE TABLE "tenants" ("platform" text not null, "tenant" text not null, "added_by" text not null, "created_at" bigint not null, "epoch" bigint not null, "v" integer not null, constraint "tenants_key" primary key ("platform", "tenant"));
CREATE INDEX "pairings_code" on "pairings" ("code_hash");
CREATE INDEX "channel_grants_place" on "channel_grants" ("place");
CREATE INDEX "sessions_place" on "sessions" ("place");
CREATE TABLE "tasks" ("id" text primary key, "session_id" text not null, "own_session_id" text not null, "parent_id" text, "spawn_call" text, "retry_of" text, "depth" integer not null, "submitted_by" text not null, "actor" text, "title" text not null, "description" text not null, "tools" text not null, "priority" integer not null, "agent" text not null, "model" text, "autonomy" text not null, "state" text not null, "announce" text, "plan" text, "review" text, "suspend_count" integer not null, "retry_count" integer not null, "max_retries" integer not null, "not_before" bigint not null, "worked_ms" bigint not null, "speakers" text, "worker" text, "lease_until" bigint not null, "output" text not null, "error" text not null, "created_at" bigint not null, "updated_at" bigint not null, "started_at" bigint, "ended_at" bigint, "epoch" bigint not null, "v" integer not null);
CREATE TABLE "task_needs" ("task_id" text not null, "needs" text not null, "epoch" bigint not null, "v" integer not null, constraint "task_needs_key" primary key ("task_id", "needs"));
CREATE INDEX "task_needs_needs" on "task_needs" ("needs");
CREATE INDEX "tasks_state" on "tasks" ("state", "priority");
CREATE INDEX "tasks_session" on "tasks" ("session_id", "created_at");
CREATE INDEX "tasks_created" on "tasks" ("created_at", "id");
CREATE INDEX "tasks_parent" on "tasks" ("parent_id");
CREATE TABLE "system_prompts" ("epoch" bigint not null, "v" integer not null, "session_id" text primary key, "text" text not null);
CREATE TRIGGER search_texts_added after insert on search_texts when new.id % 64 = 0 begin
		insert into search_index (rowid, text) select id, text from search_texts
			where id > coalesce((select rowid from search_index order by rowid desc limit 1), 0); end;
CREATE TABLE "memories" ("n" integer primary key autoincrement, "id" text not null, "scope" text not null, "subject" text not null, "author" text not null, "session_id" text, "taint" text not null, "text" text not null, "tags" text not null, "search_text" text not null, "created_at" bigint not null, "epoch" bigint not null, "v" integer not null, constraint "memories_id" unique ("id"));
CREATE INDEX "memories_subject" on "memories" ("scope", "subject");
CREATE INDEX "memories_author" on "memories" ("author");
CREATE VIRTUAL TABLE memory_index
		using fts5(text, content = '', contentless_delete = 1, tokenize = 'trigram');
CREATE TRIGGER memories_added after insert on memories begin
		insert into memory_index (rowid, text) values (new.n, new.search_text); end;
CREATE TRIGGER memories_removed after delete on memories begin
		delete from memory_index where rowid = old.n; end;
CREATE TABLE "schedules" ("id" text primary key, "session_id" text not null, "external_key" text, "owner" text not null, "principal" text not null, "actor" text, "title" text not null, "prompt" text not null, "trigger" text not null, "show" text not null, "taint" text not null, "created_at" bigint not null, "next_due" bigint, "last_due" bigint, "last_fired_at" bigint, "last_run_id" text, "firings" bigint not null, "problem" text, "seen_seq" bigint not null, "epoch" bigint not null, "v" integer not null);
CREATE INDEX "schedules_due" on "schedules" ("next_due");
CREATE INDEX "schedules_session" on "schedules" ("session_id");
CREATE INDEX "schedules_owner" on "schedules" ("owner");
CREATE TABLE "trusted_skills" ("directory" text not null, "path" text not null, "hash" text not null, "trusted_by" text not null, "trusted_at" bigint not null, "epoch" bigint not null, "v" integer not null, "content" text, constraint "trusted_skills_key" primary key ("directory", "path"));
CREATE TABLE "read_messages" ("session_id" text not null, "message" text not null, "edited_at" bigint not null, "run_id" text not null, "epoch" bigint not null, "v" integer not null, constraint "read_messages_key" primary key ("session_id", "message"));
CREATE TABLE "background_commands" ("session_id" text not null, "n" integer not null, "run_id" text not null, "call_id" text not null, "command" text not null, "started_at" bigint not null, "ended_at" bigint, "reason" text, "code" integer, "informed" integer not null, "epoch" bigint not null, "v" integer not null, constraint "background_commands_key" primary key ("session_id", "n"));
CREATE TABLE "mcp_tools" ("name" text not null, "directory" text not null, "hash" text not null, "at" bigint not null, "epoch" bigint not null, "v" integer not null, constraint "mcp_tools_key" primary key ("name", "directory"));
CREATE TABLE "file_changes" ("session_id" text not null, "run_id" text not null, "n" integer not null, "path" text not null, "before_hash" text not null, "before_mode" integer, "before_size" bigint not null, "content" text, "stored" bigint not null, "after_hash" text not null, "writing_from" text, "interleaved" integer not null, "undone_by" text, "epoch" bigint not null, "v" integer not null, constraint "file_changes_key" primary key ("session_id", "run_id", "n"));
`,
};
