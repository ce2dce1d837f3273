// Conversations as people hold and look after them, against the real binary.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { after, afterEach, before, beforeEach, test } from "node:test";
import { launch } from "./browser.js";
import { Server } from "./server.js";

const limit = Number(process.env.LIMIT ?? 120_000);
const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const bank = new Server(new URL("../../examples/dialogues", import.meta.url).pathname);
const shop = new Server(new URL("dialogues", import.meta.url).pathname);
let browser;
let errors;
let contexts;

before(async () => {
  await bank.start();
  await shop.start();
  browser = await launch();
}, { timeout: limit });

after(async () => {
  await browser?.close();
  await bank.end();
  await shop.end();
});

beforeEach(() => {
  errors = [];
  contexts = [];
});

afterEach(async () => {
  for (const context of contexts) await context.close();
  assert.deepEqual(errors, [], "the page reports errors");
});

async function person(options = {}) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, locale: "en-GB", reducedMotion: "reduce", ...options });
  contexts.push(context);
  context.setDefaultTimeout(limit / 2);
  const page = await context.newPage();
  page.on("pageerror", (error) => errors.push(error.message));
  page.on("console", (message) => {
    if (message.type() === "error" && !/Failed to load resource|ERR_/.test(message.text())) errors.push(message.text());
  });
  return page;
}

const turns = async (server, dialogue, id) => (await (await fetch(`${server.url}/api/dialogues/${dialogue}/review/${id}`)).json()).turns;
const lines = (page) => page.locator(".line .said").allTextContents();
/** Waits until something holds. It is asked in time, for a page that has nothing to draw has no frames either. */
const holds = (page, f, given) => page.waitForFunction(f, given, { polling: 50 });
const bot = (page, text) => page.locator('.line[data-by="bot"]', { hasText: text }).last().waitFor();

/** What was said, once it is all there and nothing is on its way. */
async function all(page, wanted) {
  await holds(page, (n) => document.querySelectorAll(".line .said").length >= n && !document.querySelector(".line[data-state]"), wanted.length);
  assert.deepEqual(await lines(page), wanted);
}

async function says(page, text) {
  await page.locator("#message").fill(text);
  await page.keyboard.press("Enter");
}

test("by keyboard alone a newcomer finds a dialogue and talks to it, and a reload changes nothing", { timeout: limit }, async () => {
  const page = await person();
  await page.goto(bank.url + "/");
  await page.keyboard.press("Control+k");
  await page.getByRole("combobox", { name: /Find/ }).waitFor();
  await page.keyboard.type("bank");
  await page.getByRole("option", { name: /bank/ }).first().waitFor();
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Begin a conversation" }).waitFor();
  await page.getByLabel("Customer").focus();
  await page.keyboard.press("Control+a");
  await page.keyboard.type("Grace");
  assert.equal(await page.getByLabel("Customer").inputValue(), "Grace");
  for (let i = 0; i < 10 && await page.evaluate(() => document.activeElement?.textContent) !== "Begin"; i++) await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  await bot(page, "Hello Grace.");
  assert.match(page.url(), /\/conversations\/bank\/chat_/);
  const type = async (text) => {
    await holds(page, () => document.activeElement?.id === "message");
    await page.keyboard.type(text);
    await page.keyboard.press("Enter");
  };
  await holds(page, () => document.activeElement?.id === "message" || document.activeElement?.tagName === "H1");
  await page.locator("#message").focus();
  await page.keyboard.type("send 50");
  await page.keyboard.press("Shift+Enter");
  await page.keyboard.type("to Bob");
  await page.keyboard.press("Enter");
  await bot(page, "From which account?");
  await type("savings");
  await bot(page, "Send €50 from your savings account to Bob?");
  const replies = page.getByRole("group", { name: "Suggested replies" });
  await replies.getByRole("button", { name: "yes" }).waitFor();
  await page.reload();
  await bot(page, "Send €50 from your savings account to Bob?");
  await page.locator(".line .said", { hasText: "savings" }).first().waitFor();
  await page.locator("#message").focus();
  await page.keyboard.press("Shift+Tab");
  await page.keyboard.press("Shift+Tab");
  await page.keyboard.press("Shift+Tab");
  await page.keyboard.press("Shift+Tab");
  assert.equal(await page.evaluate(() => document.activeElement?.textContent), "yes");
  await page.keyboard.press("Enter");
  await bot(page, "Sent. The reference is");
  await holds(page, () => document.activeElement?.id === "message");
  const id = page.url().split("/").at(-1);
  await holds(page, () => !document.querySelector(".line[data-state]"));
  assert.deepEqual((await turns(bank, "bank", id)).map((t) => t.text), ["send 50\nto Bob", "savings", "yes"]);
  const before = await lines(page);
  await page.reload();
  await all(page, before);
  await page.locator(".side .heard li", { hasText: "begins transfer" }).waitFor();
  await page.locator(".side .members", { hasText: "Grace" }).waitFor();
});

test("a message that no server takes is kept, also over a reload, and counts once", { timeout: limit }, async () => {
  const id = await bank.talk("bank", "send 50 to Bob");
  const page = await person();
  await page.goto(`${bank.url}/conversations/bank/${id}`);
  await bot(page, "From which account?");
  await bank.stop();
  await says(page, "savings");
  await page.getByText("Kept: it is sent when the server is back").waitFor();
  await bank.start();
  await bot(page, "Send €50 from your savings account to Bob?");
  assert.deepEqual((await turns(bank, "bank", id)).map((t) => t.text), ["send 50 to Bob", "savings"]);
  // the answer is lost on its way: the message was taken, and is sent again with its id
  let lost = 0;
  await page.route(/\/messages$/, async (route) => {
    if (route.request().method() !== "POST") return route.fallback();
    await route.fetch();
    lost++;
    await route.abort();
  });
  await says(page, "yes");
  await holds(page, () => document.body.textContent.includes("Sent. The reference is"));
  await page.unrouteAll({ behavior: "wait" });
  await holds(page, () => !document.querySelector(".line[data-state]"));
  assert.ok(lost > 0);
  assert.deepEqual((await turns(bank, "bank", id)).map((t) => t.text), ["send 50 to Bob", "savings", "yes"]);
  assert.equal((await lines(page)).filter((l) => l === "yes").length, 1);
  // what is written and not sent is there after a reload
  await page.locator("#message").fill("half a word");
  await page.reload();
  await holds(page, () => document.querySelector("#message")?.value === "half a word");
});

test("two browsers on one conversation: the desk takes over, answers, and gives back", { timeout: limit }, async () => {
  const id = await bank.talk("support", "service status");
  const [user, desk] = [await person(), await person()];
  for (const page of [user, desk]) {
    await page.goto(`${bank.url}/conversations/support/${id}`);
    await bot(page, "Which service?");
  }
  await says(user, "xyzzy plugh");
  await desk.locator(".side .chip.missed", { hasText: "1 miss" }).waitFor();
  await desk.locator('.line[data-by="user"]', { hasText: "xyzzy plugh" }).waitFor();
  await desk.getByRole("button", { name: "Take over" }).click();
  await desk.getByText("You have this conversation").waitFor();
  await says(desk, "Ann here. Mail is slow.");
  await user.locator('.line[data-by="agent"]', { hasText: "Ann here. Mail is slow." }).waitFor();
  await user.getByText("A person has this conversation").waitFor();
  await says(user, "Thank you, Ann");
  await desk.locator('.line[data-by="user"]', { hasText: "Thank you, Ann" }).waitFor();
  assert.equal((await lines(desk)).filter((l) => l.startsWith("Ann here")).length, 1);
  const third = await person();
  await third.goto(bank.url + "/conversations");
  await third.locator("tbody tr").first().getByText("with a person").waitFor();
  await third.getByRole("link", { name: /With a person/ }).click();
  await third.locator("tbody tr", { hasText: "Thank you, Ann" }).waitFor();
  await third.getByRole("link", { name: /^Inbox/ }).click();
  await third.getByRole("heading", { name: "A person is asked to take over" }).waitFor();
  assert.equal(await third.locator(".list .item").count(), 1, "what dialogues ask their users is not in the inbox");
  await third.getByRole("link", { name: "Open the conversation" }).click();
  await third.locator(".line", { hasText: "Thank you, Ann" }).waitFor();
  await desk.getByRole("button", { name: "Give back" }).click();
  await user.getByText("A person has this conversation").waitFor({ state: "detached" });
  await says(user, "mail");
  await bot(desk, "mail is slow since this morning.");
});

test("who may take over and not review sees both sides", { timeout: limit }, async () => {
  const id = await bank.talk("support", "is mail down", "I want to speak to a person");
  const page = await person();
  await page.route(/\/review\//, (route) => route.fulfill({ status: 403, json: { error: "not allowed", code: "forbidden" } }));
  await page.goto(`${bank.url}/conversations/support/${id}`);
  await page.locator('.line[data-by="user"]', { hasText: "is mail down" }).waitFor();
  await page.getByRole("button", { name: "Take over" }).click();
  await says(page, "Ann here.");
  await page.locator('.line[data-by="agent"]', { hasText: "Ann here." }).waitFor();
  await holds(page, () => [...document.querySelectorAll(".line .said")].filter((x) => x.textContent === "Ann here.").length === 1);
  await page.getByText("How messages were understood cannot be shown.").waitFor();
});

test("while another person is asked, messages wait; when it is over, they stay", { timeout: limit }, async () => {
  const id = await shop.talk("shop", "I want a refund");
  const page = await person();
  await page.goto(`${shop.url}/conversations/shop/${id}`);
  await bot(page, "Your PIN?");
  await says(page, "471100");
  await page.getByText("The conversation waits for other people").waitFor();
  await says(page, "when are you open");
  await page.getByText("Kept: it is sent when the other people have answered").waitFor();
  const list = await person();
  await list.goto(shop.url + "/conversations?state=busy");
  await list.locator("tbody tr", { hasText: "Refund this?" }).getByText("waits for other people").waitFor();
  const { interrupts } = await (await fetch(`${shop.url}/api/interrupts?run=${id}`)).json();
  await shop.post(`/api/interrupts/${interrupts[0].requestId}/answer`, { value: "yes", by: "Ada", role: "manager" });
  await bot(page, "The manager says yes.");
  await bot(page, "From nine to five.");
  await page.getByText("Not shown: it may hold something private").first().waitFor();
  assert.equal((await page.locator("body").textContent()).includes("471100"), false, "a private value is shown");
  await page.locator(".side .members", { hasText: "[private]" }).waitFor();
  await shop.post(`/api/runs/${id}/cancel`, { by: "Ada" });
  await page.getByText("This conversation is over.").waitFor();
  await page.getByRole("link", { name: "Begin another one" }).click();
  await page.getByRole("heading", { name: "Begin a conversation" }).waitFor();
  assert.equal(await page.evaluate(() => window.hacked), undefined, "a text acted");
});

test("what an action streams is shown while it comes, and gone when it is said", { timeout: limit }, async () => {
  const id = await bank.talk("bank");
  const page = await person();
  const piece = (text) => `event: piece\ndata: ${JSON.stringify({ conversation: id, type: "text.delta", task: "transfer/send#1", opId: "op", data: { segmentId: "s", text } })}\n\n`;
  let first = true;
  await page.route(/\/messages\?after=/, async (route) => {
    if (!first) return route.fallback();
    first = false;
    await route.fulfill({ status: 200, contentType: "text/event-stream", body: ": hello\n\n" + piece("half a ") + piece("text") });
  });
  await page.goto(`${bank.url}/conversations/bank/${id}`);
  await page.locator(".bubble[aria-busy]", { hasText: "half a text" }).waitFor();
  await bot(page, "Hello Ada.");
  await page.locator(".bubble[aria-busy]", { hasText: "half a text" }).waitFor({ state: "detached" });
});

test("a conversation goes on in another language", { timeout: limit }, async () => {
  const page = await person({ locale: "de-DE" });
  await page.goto(bank.url + "/definitions/bank");
  await page.getByLabel("Sprache des Gesprächs").selectOption("en");
  await page.getByRole("button", { name: "Beginnen" }).click();
  await bot(page, "Hello Ada.");
  await page.locator(".facts select").selectOption("de");
  await says(page, "wie ist mein Kontostand");
  await page.locator('.line[data-by="bot"]', { hasText: /Sie haben .*1200/ }).waitFor();
});

test("lists of runs are without conversations, and a search finds them", { timeout: limit }, async () => {
  const id = await bank.talk("clinic");
  const page = await person();
  await page.goto(bank.url + "/runs");
  await page.getByText("No runs yet").or(page.getByText("No run has these marks")).waitFor();
  await page.getByLabel("With conversations").check();
  await page.locator(".runs a", { hasText: "clinic" }).first().waitFor();
  await page.keyboard.press("Control+k");
  await page.keyboard.type(id);
  await page.locator(".palette [role=option]", { hasText: "clinic" }).waitFor();
  await page.keyboard.press("Enter");
  await bot(page, "Northside Clinic.");
  await page.getByRole("link", { name: "Journal" }).click();
  await page.getByRole("link", { name: "Open the conversation" }).click();
  await bot(page, "Northside Clinic.");
});

test("no page of conversations has a violation that axe finds, and none is wider than 320 px", { timeout: 3 * limit }, async () => {
  const open = await bank.talk("bank", "send 50 to Bob", "xyzzy", "savings");
  const handed = await bank.talk("support", "I want to speak to a person");
  const odd = await shop.talk("shop", "when are you open");
  const pages = [
    bank.url + "/conversations", bank.url + "/conversations?state=busy", bank.url + "/definitions/bank", `${bank.url}/conversations/bank/${open}`,
    `${bank.url}/conversations/support/${handed}`, `${shop.url}/conversations/shop/${odd}`, bank.url + "/conversations/bank/chat_nothing", bank.url + "/", `${bank.url}/runs/${handed}`,
  ];
  for (const [options, width] of [[{ colorScheme: "light" }, 1280], [{ colorScheme: "dark" }, 320], [{ colorScheme: "light", contrast: "more" }, 320], [{ colorScheme: "dark", contrast: "more" }, 1280]]) {
    const page = await person({ ...options, viewport: { width, height: 800 }, bypassCSP: true });
    for (const path of pages) {
      await page.goto(path);
      await page.locator("h1").waitFor();
      await holds(page, () => !document.querySelector(".loading") && !document.querySelector('[role="log"][aria-busy="true"]'));
      for (const act of width < 500 && path.includes("/conversations/bank/chat_") ? ["", "Desk"] : [""]) {
        if (act && await page.getByRole("button", { name: act }).count() > 0) await page.getByRole("button", { name: act }).click();
        await page.evaluate(axe);
        const found = await page.evaluate(async () => (await window.axe.run(document)).violations.map((v) => `${v.id}: ${v.nodes.map((n) => n.target + " " + (n.any[0]?.message ?? n.all[0]?.message ?? n.none[0]?.message ?? "")).join("; ")}`));
        assert.deepEqual(found, [], `${path} ${act} (${JSON.stringify(options)}, ${width})`);
        const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
        assert.ok(wide <= 0, `${path} is ${wide} px wider than ${width}`);
      }
    }
    await page.context().close();
    contexts = contexts.filter((c) => c !== page.context());
  }
});
