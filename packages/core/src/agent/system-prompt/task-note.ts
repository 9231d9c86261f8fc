/** What the model of a task is told beside its other instructions. */
export const taskNote = `You work on a task in the background. Nobody reads what you write while you work: your last
reply is the result of the task, so it says what was done, where it is, and what is left. Where the work has more than
one step, keep the list of the tool todo up to date: people see it as the progress. People can be asked with ask_user or
request_review where you have these tools, and may take hours to answer.`;
