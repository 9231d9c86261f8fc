/** Name, help text and label names of each counter. `docs/operating.md` describes them for operators. */
export const counters = {
	parley_sessions_created_total: { help: "Sessions opened.", labels: [] },
	parley_sessions_deleted_total: { help: "Sessions deleted.", labels: [] },
	parley_messages_total: { help: "Messages of people, by kind.", labels: ["kind"] },
	parley_runs_total: { help: "Runs that ended, by outcome.", labels: ["outcome"] },
	parley_tool_calls_total: { help: "Tool calls that ended.", labels: ["tool", "outcome"] },
	parley_model_calls_total: { help: "Model calls that ended.", labels: ["provider", "model", "outcome"] },
	parley_model_tokens_total: {
		help: "Input and output tokens of models.",
		labels: ["provider", "model", "kind"],
	},
	parley_model_cost_dollars_total: {
		help: "Cost of model calls, in US dollars.",
		labels: ["provider", "model"],
	},
	parley_model_retries_total: { help: "Retried model calls, by the model of the retry.", labels: ["model"] },
	parley_prompts_total: {
		help: "Answered, expired and closed questions to people.",
		labels: ["type", "outcome"],
	},
	parley_prompt_reminders_total: { help: "Reminders of questions.", labels: [] },
	parley_budget_reached_total: {
		help: "Budgets that reached 80 % or 100 %.",
		labels: ["scope", "period", "percent"],
	},
	parley_compactions_total: { help: "Reductions of contexts, by level.", labels: ["level"] },
	parley_tasks_submitted_total: { help: "Created tasks and workers.", labels: ["kind"] },
	parley_tasks_ended_total: { help: "Ended tasks and workers.", labels: ["outcome"] },
	parley_task_suspensions_total: { help: "Reviews requested by tasks.", labels: [] },
	parley_task_retries_total: { help: "Failures of providers after which tasks continued.", labels: [] },
	parley_files_total: { help: "Files sent to people by tools.", labels: [] },
	parley_file_bytes_total: { help: "Bytes of these files.", labels: [] },
	parley_requests_total: {
		help: "Requests of clients, by outcome.",
		labels: ["wire", "method", "code"],
	},
	parley_requests_rate_limited_total: { help: "Requests refused by a rate limit.", labels: [] },
	parley_http_refused_total: {
		help: "HTTP requests refused before their body was read.",
		labels: ["reason"],
	},
	parley_slow_readers_closed_total: {
		help: "Clients disconnected because they read too slowly.",
		labels: [],
	},
	parley_deltas_dropped_total: { help: "Stream updates left out for slow readers.", labels: [] },
	parley_event_streams_refused_total: { help: "Event streams refused at their start.", labels: ["reason"] },
	parley_event_streams_slow_closed_total: {
		help: "Event streams ended because their client read too slowly.",
		labels: [],
	},
	parley_event_stream_events_lost_total: {
		help: "Transient events that slow clients of streams did not receive.",
		labels: [],
	},
	parley_uploads_kept_total: { help: "Stored uploads.", labels: [] },
	parley_uploads_refused_total: { help: "Refused uploads, by reason.", labels: ["reason"] },
	parley_upload_bytes_total: { help: "Received bytes of uploads.", labels: [] },
} as const;

/** Upper bounds in seconds, from the `offline` model to a run of an hour. */
const runSeconds = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600, 1_800, 3_600] as const;
const callSeconds = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 30, 60, 120, 300, 600] as const;
const hour = 3_600;
const answerSeconds = [1, 5, 15, 30, 60, 300, 900, hour, 4 * hour, 12 * hour, 24 * hour] as const;
/** From the `offline` model to tasks that wait for reviews for days. */
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

/** As `counters`, with the upper bounds of the buckets in ascending order. */
export const histograms = {
	parley_run_duration_seconds: {
		help: "Time from a message to the end of its run, including waits.",
		labels: [],
		buckets: runSeconds,
	},
	parley_tool_duration_seconds: {
		help: "Running time of tools, without waits for people.",
		labels: ["tool"],
		buckets: callSeconds,
	},
	parley_model_call_duration_seconds: {
		help: "Time from a model request to the end of the reply.",
		labels: ["provider", "model"],
		buckets: callSeconds,
	},
	parley_prompt_wait_seconds: {
		help: "Time until a question was answered or expired.",
		labels: ["type"],
		buckets: answerSeconds,
	},
	parley_task_duration_seconds: {
		help: "Time from the start to the end of completed tasks.",
		labels: [],
		buckets: taskSeconds,
	},
	parley_store_commit_duration_seconds: {
		help: "Time until transactions were durable.",
		labels: [],
		buckets: commitSeconds,
	},
	parley_store_commit_commands: {
		help: "Commands that shared a transaction.",
		labels: [],
		buckets: [1, 2, 5, 10, 20, 50, 100, 200],
	},
} as const;

export type CounterName = keyof typeof counters;
export type HistogramName = keyof typeof histograms;

/** A value for each label of the metric. */
export type LabelsOf<Name extends CounterName | HistogramName> = Readonly<
	Record<(typeof counters & typeof histograms)[Name]["labels"][number], string>
>;
