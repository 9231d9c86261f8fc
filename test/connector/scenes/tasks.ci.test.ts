import { DiscordSite } from "./discord-site.ts";
import { playScenes } from "./play-scenes.ts";
import { tasks } from "./scenes/tasks.ts";

playScenes(DiscordSite, tasks);
