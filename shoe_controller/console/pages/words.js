// The fixed words of the page, in three languages. What the table itself says comes as it is.

export const LANGUAGES = { en: "EN", "zh-Hant": "繁", "zh-Hans": "简" };

const EN = {
  console: "Console",
  shoe: "Shoe", round: "Round", player: "Player", banker: "Banker", tie: "Tie", wins: "wins",
  no_shoe: "No shoe", first_card: "First card", burning: "Burning", betting: "Wagers open", closed: "No more bets",
  dealing: "Dealing", complete: "Complete", ended: "Shoe over", stopped: "Stopped", free: "Free hand",
  last: "last round",
  live: "Live", broker: "No connection to the broker", controller: "The controller is away", page: "No connection to the console",
  unverified: "Shoe not verified", not_storing: "The controller cannot store",
  waits: "New rules wait for the next shoe",
  wagers: "Wagers", payments: "Payments", alerts: "Alerts", rounds: "Rounds", supervisor: "Supervisor",
  seat: "Seat", nothing_yet: "—",
  take: "Take", pay: "Pay", push: "Push", taken: "Taken", paid: "Paid", done: "All done",
  nothing_to_pay: "Nothing is to be taken or paid.",
  again: "Settled anew: put right by hand what was paid before.",
  no_alerts: "Nothing is wrong.",
  by_dealer: "The dealer may clear it.", by_supervisor: "A supervisor clears it.", by_nobody: "It must be put right:",
  clear: "Clear", clear_supervisor: "Clear as supervisor",
  open_shoe: "New shoe", no_more_bets: "No more bets", free_hand: "Free hand", reveal_cards: "Show cards", confirm: "Confirm result",
  call_supervisor: "Call supervisor", clear_alert: "Clear alert", sign_in: "Sign in",
  identify_card: "Name a card", correct_card: "Correct a card", use_extra_card: "Extra card begins next round",
  burn_extra_card: "Burn extra card", void_round: "Void the round", void_and_replay: "Void and deal again",
  undo_last_result: "Undo last result", end_shoe: "End the shoe", approve: "Approve", withdraw: "Withdraw",
  what_identify_card: "Say what an unread card is.", what_correct_card: "A card is another than was read; everything after it is worked out anew.",
  what_use_extra_card: "The card too many begins the next round.", what_burn_extra_card: "The card too many is burned.",
  what_void_round: "All wagers are returned, the cards are out of play.",
  what_void_and_replay: "The cards are out of play, the wagers stay, the next card is the first.",
  what_undo_last_result: "Take the last settled result back. Takes two supervisors.",
  what_end_shoe: "No more rounds from this shoe.", what_confirm: "Confirm the result of this round.",
  what_clear_alert: "You have looked, and all is on the record as it lies on the table.",
  what_approve: "A second supervisor agrees.", what_withdraw: "Take the proposal back.",
  not_now: "not now", two_people: "two people", hold: "Hold for two seconds",
  proposed: "proposes", waits_for_second: "Another supervisor approves it.",
  sign_out: "Sign out", id: "Id", pin: "PIN", enter: "Sign in", why: "Why?", reason: "Reason",
  which_card: "Which card?", card_number: "Card", what_is_it: "What is it?", next: "Next", close: "Close",
  door: "Sign in at this table", ended_session: "Signed out after a while without a touch.", signed_out: "Signed out.",
  supervisor_mode: "Supervisor mode", leave: "Leave", mode_over: "Supervisor mode is over.",
  place: "Place", take_back: "Take all back", no_change: "Nothing was changed.", bad_amount: "That is not an amount.",
  stakes: "Stakes",
  asking: "One moment…", ok: "Done.", proposed_ok: "Proposed. Another supervisor approves it.",
  no_rounds: "No round has been dealt yet.",
  settled: "settled", void: "void", open: "open", under_way: "under way", before: "before the first round", not_dealt: "not dealt",
  undone: "taken back", corrected: "corrected", identified: "named", by: "by", approved_by: "approved by",
  people: "What people did", aside: "Set aside", returned: "Returned", extra: "Cards too many", burned: "burned", used: "begins the next round",
  wrong_pin_act: "wrong PIN", not_done: "not done", confirmed_by: "confirmed by",
  replayed: "void, dealt again", card_unknown: "not known",
  reasons: {
    identify_card: ["Seen on the table", "Card was dirty", "Card was bent"],
    correct_card: ["Seen on the table", "Read wrongly by the shoe", "Named wrongly before"],
    use_extra_card: ["House rule", "Drawn after the round was complete"],
    burn_extra_card: ["House rule", "Drawn by mistake"],
    void_round: ["Misdeal", "Card exposed", "Cards mixed up", "Shoe fault"],
    void_and_replay: ["Misdeal", "Card exposed", "Shoe fault"],
    undo_last_result: ["Card was wrong", "Confirmed too early"],
    end_shoe: ["Cards are changed", "Shoe fault", "Table closes"],
    clear_alert: ["Looked at the table, all is well", "Explained by the dealer", "Mended"],
  },
};

const HANT = {
  console: "控制台",
  shoe: "牌靴", round: "局", player: "閒", banker: "莊", tie: "和", wins: "勝",
  no_shoe: "無牌靴", first_card: "首張牌", burning: "消牌", betting: "接受投注", closed: "停止投注",
  dealing: "發牌", complete: "牌局完成", ended: "牌靴結束", stopped: "暫停", free: "免注局", last: "最後一局",
  live: "連線中", broker: "訊息伺服器未連線", controller: "控制器離線", page: "控制台未連線",
  unverified: "牌靴未驗證", not_storing: "控制器無法儲存", waits: "新規則於下一靴生效",
  wagers: "投注", payments: "賠付", alerts: "警示", rounds: "牌局紀錄", supervisor: "主管",
  seat: "座位", nothing_yet: "—",
  take: "收", pay: "賠", push: "退", taken: "收取", paid: "賠付", done: "全部完成",
  nothing_to_pay: "沒有需要收取或賠付的投注。", again: "重新結算：先前已付的請人手更正。",
  no_alerts: "一切正常。",
  by_dealer: "荷官可解除。", by_supervisor: "由主管解除。", by_nobody: "必須更正：",
  clear: "解除", clear_supervisor: "主管解除",
  open_shoe: "新牌靴", no_more_bets: "停止投注", free_hand: "免注局", reveal_cards: "開牌", confirm: "確認結果",
  call_supervisor: "呼叫主管", clear_alert: "解除警示", sign_in: "登入",
  identify_card: "指明牌面", correct_card: "更正牌面", use_extra_card: "多出的牌用於下一局", burn_extra_card: "消去多出的牌",
  void_round: "作廢本局", void_and_replay: "作廢並重發", undo_last_result: "撤回上局結果", end_shoe: "結束牌靴",
  approve: "批准", withdraw: "撤回提議",
  what_identify_card: "指明一張未讀到的牌。", what_correct_card: "牌面與讀取不同；其後全部重新計算。",
  what_use_extra_card: "多出的牌作為下一局第一張。", what_burn_extra_card: "多出的牌消去。",
  what_void_round: "退還全部投注，牌作廢。", what_void_and_replay: "牌作廢，投注保留，下一張為第一張。",
  what_undo_last_result: "撤回上一個已結算的結果，需要兩位主管。", what_end_shoe: "本靴不再發牌。", what_confirm: "確認本局結果。",
  what_clear_alert: "已查看，紀錄與檯面相符。", what_approve: "由第二位主管同意。", what_withdraw: "收回提議。",
  not_now: "現在不可", two_people: "兩人", hold: "按住兩秒",
  proposed: "提議", waits_for_second: "由另一位主管批准。",
  sign_out: "登出", id: "編號", pin: "密碼", enter: "登入", why: "原因", reason: "原因",
  which_card: "哪一張牌？", card_number: "第", what_is_it: "是什麼牌？", next: "下一步", close: "關閉",
  door: "登入本檯", ended_session: "閒置過久，已登出。", signed_out: "已登出。",
  supervisor_mode: "主管模式", leave: "離開", mode_over: "主管模式已結束。",
  place: "下注", take_back: "全部取回", no_change: "沒有更改。", bad_amount: "金額不正確。",
  stakes: "投注額",
  asking: "請稍候…", ok: "完成。", proposed_ok: "已提議，由另一位主管批准。",
  no_rounds: "尚未發牌。",
  settled: "已結算", void: "作廢", open: "進行中", under_way: "進行中", before: "首局之前", not_dealt: "未發牌",
  undone: "已撤回", corrected: "更正", identified: "指明", by: "", approved_by: "批准",
  people: "操作紀錄", aside: "另置", returned: "退還", extra: "多出的牌", burned: "消牌", used: "用於下一局",
  wrong_pin_act: "密碼錯誤", not_done: "未執行", confirmed_by: "確認",
  replayed: "作廢重發", card_unknown: "未知",
  reasons: {
    identify_card: ["檯面所見", "牌有污漬", "牌有摺痕"],
    correct_card: ["檯面所見", "牌靴讀錯", "先前指明有誤"],
    use_extra_card: ["公司規則", "牌局完成後抽出"],
    burn_extra_card: ["公司規則", "誤抽"],
    void_round: ["發錯牌", "露牌", "牌混亂", "牌靴故障"],
    void_and_replay: ["發錯牌", "露牌", "牌靴故障"],
    undo_last_result: ["牌面有誤", "過早確認"],
    end_shoe: ["更換紙牌", "牌靴故障", "收檯"],
    clear_alert: ["已查看檯面，一切正常", "荷官已解釋", "已修復"],
  },
};

const HANS = {
  console: "控制台",
  shoe: "牌靴", round: "局", player: "闲", banker: "庄", tie: "和", wins: "胜",
  no_shoe: "无牌靴", first_card: "首张牌", burning: "消牌", betting: "接受投注", closed: "停止投注",
  dealing: "发牌", complete: "牌局完成", ended: "牌靴结束", stopped: "暂停", free: "免注局", last: "最后一局",
  live: "连线中", broker: "消息服务器未连接", controller: "控制器离线", page: "控制台未连接",
  unverified: "牌靴未验证", not_storing: "控制器无法存储", waits: "新规则于下一靴生效",
  wagers: "投注", payments: "赔付", alerts: "警示", rounds: "牌局记录", supervisor: "主管",
  seat: "座位", nothing_yet: "—",
  take: "收", pay: "赔", push: "退", taken: "收取", paid: "赔付", done: "全部完成",
  nothing_to_pay: "没有需要收取或赔付的投注。", again: "重新结算：先前已付的请人手更正。",
  no_alerts: "一切正常。",
  by_dealer: "荷官可解除。", by_supervisor: "由主管解除。", by_nobody: "必须更正：",
  clear: "解除", clear_supervisor: "主管解除",
  open_shoe: "新牌靴", no_more_bets: "停止投注", free_hand: "免注局", reveal_cards: "开牌", confirm: "确认结果",
  call_supervisor: "呼叫主管", clear_alert: "解除警示", sign_in: "登录",
  identify_card: "指明牌面", correct_card: "更正牌面", use_extra_card: "多出的牌用于下一局", burn_extra_card: "消去多出的牌",
  void_round: "作废本局", void_and_replay: "作废并重发", undo_last_result: "撤回上局结果", end_shoe: "结束牌靴",
  approve: "批准", withdraw: "撤回提议",
  what_identify_card: "指明一张未读到的牌。", what_correct_card: "牌面与读取不同；其后全部重新计算。",
  what_use_extra_card: "多出的牌作为下一局第一张。", what_burn_extra_card: "多出的牌消去。",
  what_void_round: "退还全部投注，牌作废。", what_void_and_replay: "牌作废，投注保留，下一张为第一张。",
  what_undo_last_result: "撤回上一个已结算的结果，需要两位主管。", what_end_shoe: "本靴不再发牌。", what_confirm: "确认本局结果。",
  what_clear_alert: "已查看，记录与台面相符。", what_approve: "由第二位主管同意。", what_withdraw: "收回提议。",
  not_now: "现在不可", two_people: "两人", hold: "按住两秒",
  proposed: "提议", waits_for_second: "由另一位主管批准。",
  sign_out: "登出", id: "编号", pin: "密码", enter: "登录", why: "原因", reason: "原因",
  which_card: "哪一张牌？", card_number: "第", what_is_it: "是什么牌？", next: "下一步", close: "关闭",
  door: "登录本台", ended_session: "闲置过久，已登出。", signed_out: "已登出。",
  supervisor_mode: "主管模式", leave: "离开", mode_over: "主管模式已结束。",
  place: "下注", take_back: "全部取回", no_change: "没有更改。", bad_amount: "金额不正确。",
  stakes: "投注额",
  asking: "请稍候…", ok: "完成。", proposed_ok: "已提议，由另一位主管批准。",
  no_rounds: "尚未发牌。",
  settled: "已结算", void: "作废", open: "进行中", under_way: "进行中", before: "首局之前", not_dealt: "未发牌",
  undone: "已撤回", corrected: "更正", identified: "指明", by: "", approved_by: "批准",
  people: "操作记录", aside: "另置", returned: "退还", extra: "多出的牌", burned: "消牌", used: "用于下一局",
  wrong_pin_act: "密码错误", not_done: "未执行", confirmed_by: "确认",
  replayed: "作废重发", card_unknown: "未知",
  reasons: {
    identify_card: ["台面所见", "牌有污渍", "牌有折痕"],
    correct_card: ["台面所见", "牌靴读错", "先前指明有误"],
    use_extra_card: ["公司规则", "牌局完成后抽出"],
    burn_extra_card: ["公司规则", "误抽"],
    void_round: ["发错牌", "露牌", "牌混乱", "牌靴故障"],
    void_and_replay: ["发错牌", "露牌", "牌靴故障"],
    undo_last_result: ["牌面有误", "过早确认"],
    end_shoe: ["更换纸牌", "牌靴故障", "收台"],
    clear_alert: ["已查看台面，一切正常", "荷官已解释", "已修复"],
  },
};

// The sentences of the table that come again and again; the others are shown as the table says them.
const PROMPTS = {
  "The shoe is not connected. Check its cable and its power.": ["牌靴未連線。請檢查線材與電源。", "牌靴未连接。请检查线材与电源。"],
  "Put the cards in and announce the new shoe.": ["放入紙牌，然後宣告新牌靴。", "放入纸牌，然后宣告新牌靴。"],
  "Draw the first card and show it.": ["抽出首張牌並展示。", "抽出首张牌并展示。"],
  "The shoe is over. Change the cards and announce the new shoe.": ["牌靴結束。更換紙牌，然後宣告新牌靴。", "牌靴结束。更换纸牌，然后宣告新牌靴。"],
  'Take the wagers, then say "no more bets".': ["接受投注，然後宣告停止投注。", "接受投注，然后宣告停止投注。"],
  "Take the wagers, then draw Player's first card.": ["接受投注，然後抽閒家第一張牌。", "接受投注，然后抽闲家第一张牌。"],
  "Draw a card for Player.": ["為閒家抽牌。", "为闲家抽牌。"],
  "Draw a card for Banker.": ["為莊家抽牌。", "为庄家抽牌。"],
  "Ask for the result.": ["請確認結果。", "请确认结果。"],
  "Show the cards, or ask for the result.": ["開牌，或確認結果。", "开牌，或确认结果。"],
};

const CODES = {
  wrong_pin: ["編號或密碼錯誤。", "编号或密码错误。"],
  locked_out: ["密碼錯誤次數過多，暫時鎖定。", "密码错误次数过多，暂时锁定。"],
  other_round: ["牌局已變更，請重試。", "牌局已变更，请重试。"],
  not_now: ["此階段不可。", "此阶段不可。"],
  stopped: ["警示令牌檯暫停。", "警示令牌台暂停。"],
  no_shoe_link: ["牌靴未連線。", "牌靴未连接。"],
  reason_missing: ["必須說明原因。", "必须说明原因。"],
  same_person: ["必須由另一人批准。", "必须由另一人批准。"],
  no_proposal: ["提議已不存在。", "提议已不存在。"],
  betting_closed: ["不接受投注。", "不接受投注。"],
  free_hand: ["本局為免注局。", "本局为免注局。"],
  below_minimum: ["低於最低投注。", "低于最低投注。"],
  above_maximum: ["超過最高投注。", "超过最高投注。"],
  no_multiple: ["金額不是最小單位的倍數。", "金额不是最小单位的倍数。"],
  needs_base_wager: ["須同時投注閒或莊。", "须同时投注闲或庄。"],
  one_of_option: ["每局只可選其一。", "每局只可选其一。"],
  too_many_options: ["投注選項過多。", "投注选项过多。"],
  wagers_stand: ["尚有投注，請先取回。", "尚有投注，请先取回。"],
  lid_open: ["牌靴蓋未關。", "牌靴盖未关。"],
  same_card: ["已是這張牌。", "已是这张牌。"],
  card_is_known: ["此牌已知，請用更正。", "此牌已知，请用更正。"],
  card_is_unknown: ["此牌未知，請先指明。", "此牌未知，请先指明。"],
  away: ["控制器離線，未作任何操作。", "控制器离线，未作任何操作。"],
  no_answer: ["未收到回覆。請先查看檯面再試。", "未收到回复。请先查看台面再试。"],
  busy: ["請稍候再試。", "请稍候再试。"],
  not_a_supervisor: ["須由主管操作。", "须由主管操作。"],
};

const TABLES = { en: EN, "zh-Hant": HANT, "zh-Hans": HANS };
let language = "en";

export function setLanguage(tag) {
  language = tag in TABLES ? tag : "en";
  document.documentElement.lang = language;
}

export const currentLanguage = () => language;

export function t(key) {
  const text = TABLES[language][key] ?? EN[key];
  return text === undefined ? key.replaceAll("_", " ") : text;
}

export const reasonsFor = (act) => TABLES[language].reasons[act] ?? EN.reasons[act] ?? [];

const column = { "zh-Hant": 0, "zh-Hans": 1 };

// The table's sentence, in two parts: what to do, and why.
export function promptParts(prompt) {
  const match = /^(Draw a card for (?:Player|Banker)\.|Ask for the result\.) ?(.*)$/.exec(prompt);
  const asked = /^(.*)\. (Ask for the result\.)$/.exec(prompt);
  const [head, why] = asked ? [asked[2], `${asked[1]}.`] : match ? [match[1], match[2]] : [prompt, ""];
  const burn = /^Burn (\d+) more cards?\.$/.exec(head);
  if (language === "en") return [head, why];
  if (burn) return [language === "zh-Hant" ? `再消 ${burn[1]} 張牌。` : `再消 ${burn[1]} 张牌。`, why];
  return [PROMPTS[head]?.[column[language]] ?? head, why];
}

// Why something was refused, for the person who asked.
export function refusal(answer) {
  const words = answer.code === "locked_out" ? `${answer.message}.` : sentence(answer.message); // it begins with an id
  return (language !== "en" && CODES[answer.code]?.[column[language]]) || words || answer.code;
}

const sentence = (text) => (text ? text[0].toUpperCase() + text.slice(1) + (/[.!?]$/.test(text) ? "" : ".") : "");

// A wager's name in this language.
export function nameOf(names) {
  return { en: names?.en, "zh-Hant": names?.zh_hant, "zh-Hans": names?.zh_hans }[language] ?? names?.en ?? "";
}
