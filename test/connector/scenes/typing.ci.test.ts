import { DiscordSite } from "./discord-site.ts";
import { playScenes } from "./play-scenes.ts";
import { belowChannel, typing } from "./scenes/typing.ts";
import { working } from "./scenes/working.ts";

playScenes(DiscordSite, [...typing, ...working, ...belowChannel("general")]);
