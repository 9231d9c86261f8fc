import { metricTexts } from "../texts/metrics.ts";

/** Name, help text and label names of each counter. `docs/operating.md` describes the counters for operators. */
export const counters = {
	parley_sessions_created_total: { help: metricTexts.sessionsCreated, labels: [] },
	parley_sessions_deleted_total: { help: metricTexts.sessionsDeleted, labels: [] },
	parley_messages_total: { help: metricTexts.messages, labels: ["kind"] },
	parley_runs_total: { help: metricTexts.runs, labels: ["outcome"] },
	parley_tool_calls_total: { help: metricTexts.toolCalls, labels: ["tool", "outcome"] },
	parley_model_calls_total: { help: metricTexts.modelCalls, labels: ["provider", "model", "outcome"] },
	parley_model_tokens_total: {
		help: metricTexts.modelTokens,
		labels: ["provider", "model", "kind"],
	},
	parley_model_cost_dollars_total: {
		help: metricTexts.modelCost,
		labels: ["provider", "model"],
	},
	parley_model_retries_total: { help: metricTexts.modelRetries, labels: ["model"] },
	parley_prompts_total: {
		help: metricTexts.prompts,
		labels: ["type", "outcome"],
	},
	parley_prompt_reminders_total: { help: metricTexts.promptReminders, labels: [] },
	parley_budget_reached_total: {
		help: metricTexts.budgetsReached,
		labels: ["scope", "period", "percent"],
	},
	parley_compactions_total: { help: metricTexts.compactions, labels: ["level"] },
	parley_tasks_submitted_total: { help: metricTexts.tasksSubmitted, labels: ["kind"] },
	parley_tasks_ended_total: { help: metricTexts.tasksEnded, labels: ["outcome"] },
	parley_task_suspensions_total: { help: metricTexts.taskSuspensions, labels: [] },
	parley_task_retries_total: { help: metricTexts.taskRetries, labels: [] },
	parley_files_total: { help: metricTexts.files, labels: [] },
	parley_file_bytes_total: { help: metricTexts.fileBytes, labels: [] },
	parley_requests_total: {
		help: metricTexts.requests,
		labels: ["wire", "method", "code"],
	},
	parley_requests_rate_limited_total: { help: metricTexts.requestsRateLimited, labels: [] },
	parley_http_refused_total: {
		help: metricTexts.httpRefused,
		labels: ["reason"],
	},
	parley_slow_readers_closed_total: {
		help: metricTexts.slowClients,
		labels: [],
	},
	parley_deltas_dropped_total: { help: metricTexts.deltasDropped, labels: [] },
	parley_event_streams_refused_total: { help: metricTexts.streamsRefused, labels: ["reason"] },
	parley_event_streams_slow_closed_total: {
		help: metricTexts.streamsEnded,
		labels: [],
	},
	parley_event_stream_events_lost_total: {
		help: metricTexts.streamEventsDropped,
		labels: [],
	},
	parley_uploads_kept_total: { help: metricTexts.uploads, labels: [] },
	parley_uploads_refused_total: { help: metricTexts.uploadsRefused, labels: ["reason"] },
	parley_upload_bytes_total: { help: metricTexts.uploadBytes, labels: [] },
} as const;

/** Upper bounds of buckets in seconds, from a run of the `offline` model to a run of an hour. */
const runSeconds = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600, 1_800, 3_600] as const;
const callSeconds = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 30, 60, 120, 300, 600] as const;
const hour = 3_600;
const answerSeconds = [1, 5, 15, 30, 60, 300, 900, hour, 4 * hour, 12 * hour, 24 * hour] as const;
/** Upper bounds of buckets in seconds, from a task of the `offline` model to tasks that wait for reviews for days. */
const taskSeconds = [
	0.1,
	1,
	10,
	60,
	300,
	900,
	1_800,
	hour,
	4 * hour,
	12 * hour,
	24 * hour,
	168 * hour,
] as const;
const commitSeconds = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5] as const;

/** Name, help text and label names of each histogram, with the upper bounds of its buckets in ascending order. */
export const histograms = {
	parley_run_duration_seconds: {
		help: metricTexts.runSeconds,
		labels: [],
		buckets: runSeconds,
	},
	parley_tool_duration_seconds: {
		help: metricTexts.toolSeconds,
		labels: ["tool"],
		buckets: callSeconds,
	},
	parley_model_call_duration_seconds: {
		help: metricTexts.modelSeconds,
		labels: ["provider", "model"],
		buckets: callSeconds,
	},
	parley_prompt_wait_seconds: {
		help: metricTexts.promptSeconds,
		labels: ["type"],
		buckets: answerSeconds,
	},
	parley_task_duration_seconds: {
		help: metricTexts.taskSeconds,
		labels: [],
		buckets: taskSeconds,
	},
	parley_store_commit_duration_seconds: {
		help: metricTexts.commitSeconds,
		labels: [],
		buckets: commitSeconds,
	},
	parley_store_commit_commands: {
		help: metricTexts.commitCommands,
		labels: [],
		buckets: [1, 2, 5, 10, 20, 50, 100, 200],
	},
} as const;

export type CounterName = keyof typeof counters;
export type HistogramName = keyof typeof histograms;

/** Values of the labels of a metric. */
export type LabelsOf<Name extends CounterName | HistogramName> = Readonly<
	Record<(typeof counters & typeof histograms)[Name]["labels"][number], string>
>;
