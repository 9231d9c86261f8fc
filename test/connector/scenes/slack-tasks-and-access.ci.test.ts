import { playScenes } from "./play-scenes.ts";
import { access } from "./scenes/access.ts";
import { deleted } from "./scenes/deleted.ts";
import { tasks } from "./scenes/tasks.ts";
import { SlackSite } from "./slack-site.ts";

playScenes(SlackSite, [...tasks, ...access, ...deleted]);
