/** Status below the bot's name, for all members of a server. Empty for a working agent. */
export const presenceTexts = {
	working: "",
	"gateway-unreachable": "Not connected to the gateway",
	"model-failing": "The model is not answering",
} as const;
