import { DiscordSite } from "./discord-site.ts";
import { playScenes } from "./play-scenes.ts";
import { schedules } from "./scenes/schedules.ts";

playScenes(DiscordSite, schedules);
