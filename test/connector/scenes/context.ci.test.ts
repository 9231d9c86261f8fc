import { DiscordSite } from "./discord-site.ts";
import { playScenes } from "./play-scenes.ts";
import { context, forwarded } from "./scenes/context.ts";

playScenes(DiscordSite, [...context, ...forwarded]);
