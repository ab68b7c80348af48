-- Wireshark dissector of the native wire between a smart shoe and its controller (firmware_protocol/native/PROTOCOL.md).
--
-- It reads files that `shoe-controller decode --pcap` writes (link type USER0, one frame of the line in a packet, inbound
-- from the shoe and outbound to it), and recognises the wire in TCP streams. Tags are shown, not checked: that takes the
-- key, and `shoe-controller decode --key` does it. README.md beside this file says how to use it.

-- The tables are written by `python -m tests.firmware_protocol.wireshark.renew`; all else is written by hand.
-- generated: tables
local MAX_ENCODED = 243
local MAX_TEXT = 32
local NONCE_BYTES = 16
local SEALED_TAG_BYTES = 8
local FROM_SHOE = 128
local FIELDS = {
    oldest_version = {name = "Oldest version", size = "u8", in_summary = true},
    newest_version = {name = "Newest version", size = "u8", in_summary = true},
    hello_flags = {name = "Hello flags", size = "u8", flags = {{key = "insecure", name = "Insecure", mask = 0x1}}, in_summary = true},
    controller_nonce = {name = "Controller nonce", size = "nonce"},
    version = {name = "Version", size = "u8", in_summary = true},
    hello_oldest_version = {name = "Hello oldest version", size = "u8"},
    hello_newest_version = {name = "Hello newest version", size = "u8"},
    shoe_nonce = {name = "Shoe nonce", size = "nonce"},
    boot_id = {name = "Boot id", size = "u32", hexadecimal = true},
    start_cause = {name = "Start cause", size = "u8", codes = {[0] = "unknown", [1] = "power on", [2] = "brown out", [3] = "watchdog", [4] = "reset button", [5] = "firmware update"}, others = "unknown", in_summary = true},
    capabilities = {name = "Capabilities", size = "u16", flags = {{key = "has_gate", name = "Gate", mask = 0x1}, {key = "has_lamps", name = "Lamps", mask = 0x2}, {key = "has_card_ids", name = "Card ids", mask = 0x4}, {key = "has_button_result", name = "Button result", mask = 0x100}, {key = "has_button_no_more_bets", name = "Button no more bets", mask = 0x200}, {key = "has_button_new_shoe", name = "Button new shoe", mask = 0x400}, {key = "has_button_burn", name = "Button burn", mask = 0x800}, {key = "has_button_call_supervisor", name = "Button call supervisor", mask = 0x1000}}},
    model = {name = "Model", size = "text", in_summary = true},
    firmware = {name = "Firmware", size = "text", in_summary = true},
    serial_number = {name = "Serial number", size = "text", in_summary = true},
    sequence = {name = "Sequence", size = "u32", in_summary = true},
    reason = {name = "Reason", size = "u8", codes = {[1] = "no common version", [2] = "shoe has a key", [3] = "shoe has no key"}, others = "unknown", in_summary = true},
    age = {name = "Age", size = "u32", unit = "ms", in_summary = true},
    oldest_event = {name = "Oldest event", size = "u32", in_summary = true},
    next_event = {name = "Next event", size = "u32", in_summary = true},
    total = {name = "Total", size = "u32", in_summary = true},
    revision = {name = "Revision", size = "u32", in_summary = true},
    status_flags = {name = "Status flags", size = "u8", flags = {{key = "recognised", name = "Recognised", mask = 0x1}, {key = "gate_locked_by_silence", name = "Gate locked by silence", mask = 0x2}, {key = "store_full", name = "Store full", mask = 0x4}}, in_summary = true},
    gate = {name = "Gate", size = "u8", codes = {[0] = "unspecified", [1] = "unlocked", [2] = "locked"}, in_summary = true},
    lamps = {name = "Lamps", size = "u8", flags = {{key = "lamp_player", name = "Player", mask = 0x1}, {key = "lamp_banker", name = "Banker", mask = 0x2}, {key = "lamp_tie", name = "Tie", mask = 0x4}, {key = "lamp_alert", name = "Alert", mask = 0x8}}, in_summary = true},
    next_hand = {name = "Next hand", size = "u8", codes = {[0] = "none", [1] = "player", [2] = "banker", [3] = "burn", [4] = "extra"}, in_summary = true},
    unix_time = {name = "Unix time", size = "u64", unit = "ms", in_summary = true},
    seconds = {name = "Seconds", size = "u8", unit = "s", in_summary = true},
    hand = {name = "Hand", size = "u8", codes = {[0] = "none", [1] = "player", [2] = "banker", [3] = "burn", [4] = "extra"}, in_summary = true},
    position = {name = "Position", size = "u8", absent = 0, in_summary = true},
    card = {name = "Card", size = "u8", codes = {[0] = "not disclosed", [17] = "ace of clubs", [18] = "2 of clubs", [19] = "3 of clubs", [20] = "4 of clubs", [21] = "5 of clubs", [22] = "6 of clubs", [23] = "7 of clubs", [24] = "8 of clubs", [25] = "9 of clubs", [26] = "10 of clubs", [27] = "jack of clubs", [28] = "queen of clubs", [29] = "king of clubs", [33] = "ace of diamonds", [34] = "2 of diamonds", [35] = "3 of diamonds", [36] = "4 of diamonds", [37] = "5 of diamonds", [38] = "6 of diamonds", [39] = "7 of diamonds", [40] = "8 of diamonds", [41] = "9 of diamonds", [42] = "10 of diamonds", [43] = "jack of diamonds", [44] = "queen of diamonds", [45] = "king of diamonds", [49] = "ace of hearts", [50] = "2 of hearts", [51] = "3 of hearts", [52] = "4 of hearts", [53] = "5 of hearts", [54] = "6 of hearts", [55] = "7 of hearts", [56] = "8 of hearts", [57] = "9 of hearts", [58] = "10 of hearts", [59] = "jack of hearts", [60] = "queen of hearts", [61] = "king of hearts", [65] = "ace of spades", [66] = "2 of spades", [67] = "3 of spades", [68] = "4 of spades", [69] = "5 of spades", [70] = "6 of spades", [71] = "7 of spades", [72] = "8 of spades", [73] = "9 of spades", [74] = "10 of spades", [75] = "jack of spades", [76] = "queen of spades", [77] = "king of spades"}, hexadecimal = true, in_summary = true},
    card_id = {name = "Card id", size = "text", in_summary = true},
    deck_set = {name = "Deck set", size = "text", in_summary = true},
    burns_left = {name = "Burns left", size = "u8", absent = 255, in_summary = true},
    card_flags = {name = "Card flags", size = "u8", flags = {{key = "first_of_shoe", name = "First of shoe", mask = 0x1}, {key = "carried_over", name = "Carried over", mask = 0x2}}, in_summary = true},
    winner = {name = "Winner", size = "u8", codes = {[0] = "none: forced end", [1] = "player", [2] = "banker", [3] = "tie"}, in_summary = true},
    result_flags = {name = "Result flags", size = "u8", flags = {{key = "player_pair", name = "Player pair", mask = 0x1}, {key = "banker_pair", name = "Banker pair", mask = 0x2}, {key = "banker_six", name = "Banker six", mask = 0x4}}, in_summary = true},
    cards = {name = "Cards", size = "u8", in_summary = true},
    lid = {name = "Lid", size = "u8", codes = {[0] = "closed", [1] = "opened"}, others = "opened", in_summary = true},
    button = {name = "Button", size = "u8", codes = {[1] = "result", [2] = "no more bets", [3] = "new shoe", [4] = "burn", [5] = "call supervisor"}, in_summary = true},
    fault = {name = "Fault", size = "u8", codes = {[0] = "other", [1] = "unreadable", [2] = "over draw", [3] = "button misused", [4] = "pushed back at exit", [5] = "pushed back half way", [6] = "foreign card", [7] = "draw timeout", [8] = "jam", [9] = "sensor", [10] = "gate forced", [11] = "low voltage", [12] = "over temperature", [13] = "event store full"}, others = "other", in_summary = true},
    fault_flags = {name = "Fault flags", size = "u8", flags = {{key = "stopped", name = "Stopped", mask = 0x1}, {key = "detail_given", name = "Detail given", mask = 0x2}}, in_summary = true},
    detail = {name = "Detail", size = "u32", in_summary = true},
    millivolts = {name = "Millivolts", size = "u16", in_summary = true},
    celsius = {name = "Celsius", size = "i16", in_summary = true},
    cards_since_load = {name = "Cards since load", size = "u16", in_summary = true},
}
local FRAMES = {
    [0x01] = {name = "HELLO", keys = {"oldest_version", "newest_version", "hello_flags", "controller_nonce"}},
    [0x02] = {name = "PROOF", keys = {"shoe_nonce", "boot_id", "sequence"}, tag_bytes = 16},
    [0x10] = {name = "ACK", keys = {"boot_id", "sequence"}, tag_bytes = 8},
    [0x11] = {name = "NAK", keys = {"sequence"}, tag_bytes = 8},
    [0x12] = {name = "DESIRE", keys = {"revision", "gate", "lamps", "next_hand"}, tag_bytes = 8},
    [0x13] = {name = "CLOCK", keys = {"unix_time"}, tag_bytes = 8},
    [0x14] = {name = "IDENTIFY", keys = {"seconds"}, tag_bytes = 8},
    [0x81] = {name = "AWAKE", keys = {}},
    [0x82] = {name = "CHALLENGE", keys = {"version", "oldest_version", "newest_version", "hello_oldest_version", "hello_newest_version", "hello_flags", "controller_nonce", "shoe_nonce", "boot_id", "start_cause", "capabilities", "model", "firmware", "serial_number"}, tag_bytes = 16},
    [0x83] = {name = "REJECT", keys = {"reason", "oldest_version", "newest_version", "controller_nonce"}},
    [0x90] = {name = "EVENT", keys = {"boot_id", "sequence", "age"}, tag_bytes = 8},
    [0x91] = {name = "STATUS", keys = {"oldest_event", "next_event", "total", "revision", "status_flags"}, tag_bytes = 8},
}
local EVENTS = {
    [0x01] = {name = "STARTED", keys = {"start_cause"}},
    [0x02] = {name = "STANDBY", keys = {}},
    [0x03] = {name = "CARD_IDENTIFIED", keys = {"hand", "position", "card", "card_id", "deck_set"}, given = "hand"},
    [0x04] = {name = "RESULT", keys = {"winner", "result_flags"}},
    [0x05] = {name = "CUT_CARD", keys = {}},
    [0x06] = {name = "BURN", keys = {"cards"}},
    [0x07] = {name = "CARD_RETURNED", keys = {"card", "card_id"}},
    [0x08] = {name = "GATE", keys = {"gate"}},
    [0x09] = {name = "LID", keys = {"lid"}},
    [0x0a] = {name = "BUTTON", keys = {"button"}},
    [0x0b] = {name = "FAULT", keys = {"fault", "fault_flags", "detail"}},
    [0x0c] = {name = "FAULT_CLEARED", keys = {"fault", "fault_flags", "detail"}},
    [0x0d] = {name = "PRESET_CHANGED", keys = {}},
    [0x0e] = {name = "HEALTH", keys = {"millivolts", "celsius", "cards_since_load"}},
    [0x10] = {name = "CARD_DRAWN", keys = {"total", "hand", "position", "card", "burns_left", "card_flags", "card_id", "deck_set"}},
    [0x11] = {name = "DOUBLE_FEED", keys = {"total", "cards"}},
    [0x12] = {name = "MISREAD", keys = {"total", "hand", "position"}},
    [0x13] = {name = "FOREIGN_CARD", keys = {"total", "hand", "position", "card", "card_id", "deck_set"}},
}
-- end

local INBOUND, OUTBOUND = 1, 0 -- values of pinfo.p2p_dir

local shoe = Proto("shoe", "Smart shoe, native wire")

-- Lua 5.2 has no operator for it, and later ones no library.
local bxor = bit and bit.bxor or bit32 and bit32.bxor or load("return function(a, b) return a ~ b end")()

---- Fields ------------------------------------------------------------------------------------------------------------

local NUMBER_BYTES = {u8 = 1, u16 = 2, i16 = 2, u32 = 4, u64 = 8}
local NUMBER_FIELD = {
    u8 = ProtoField.uint8, u16 = ProtoField.uint16, i16 = ProtoField.int16, u32 = ProtoField.uint32, u64 = ProtoField.uint64,
}

local function names_of(layouts)
    local names = {}
    for code, layout in pairs(layouts) do
        names[code] = layout.name
    end
    return names
end

local fields = {}
local registered = {}

local function register(key, field)
    registered[#registered + 1] = field
    fields[key] = field
end

register("type", ProtoField.uint8("shoe.type", "Type", base.HEX, names_of(FRAMES)))
register("counter", ProtoField.uint64("shoe.counter", "Counter"))
register("kind", ProtoField.uint8("shoe.kind", "Kind", base.HEX, names_of(EVENTS)))
register("payload", ProtoField.bytes("shoe.payload", "Payload that is not understood"))
register("appended", ProtoField.bytes("shoe.appended", "Appended fields"))
register("tag", ProtoField.bytes("shoe.tag", "Tag"))
register("crc", ProtoField.uint16("shoe.crc", "CRC", base.HEX))
register("line_bytes", ProtoField.bytes("shoe.line_bytes", "Bytes of the line"))

for key, field in pairs(FIELDS) do
    local abbreviation, make = "shoe." .. key, NUMBER_FIELD[field.size]
    if make then
        local shown = (field.flags or field.hexadecimal) and base.HEX or base.DEC
        register(key, make(abbreviation, field.name, shown, field.codes))
    elseif field.size == "text" then
        register(key, ProtoField.string(abbreviation, field.name))
    else
        register(key, ProtoField.bytes(abbreviation, field.name))
    end
    for _, flag in ipairs(field.flags or {}) do
        local bits = 8 * NUMBER_BYTES[field.size]
        register(flag.key, ProtoField.bool("shoe." .. flag.key, flag.name, bits, {"yes", "no"}, flag.mask))
    end
end
shoe.fields = registered

local experts = {
    not_a_frame = ProtoExpert.new("shoe.not_a_frame", "Not a frame", expert.group.CHECKSUM, expert.severity.ERROR),
    malformed = ProtoExpert.new("shoe.malformed", "Malformed frame", expert.group.MALFORMED, expert.severity.ERROR),
    not_understood = ProtoExpert.new(
        "shoe.not_understood", "Event that is not understood", expert.group.MALFORMED, expert.severity.WARN
    ),
    reflected = ProtoExpert.new("shoe.reflected", "Reflected frame", expert.group.PROTOCOL, expert.severity.WARN),
    unknown_type = ProtoExpert.new("shoe.unknown_type", "Unknown type", expert.group.UNDECODED, expert.severity.NOTE),
    newer = ProtoExpert.new("shoe.newer", "Appended fields", expert.group.UNDECODED, expert.severity.NOTE),
}
shoe.experts = experts

---- Framing -----------------------------------------------------------------------------------------------------------

-- CRC-16 of PROTOCOL.md, section 1; 0 over a body and its own crc.
local function crc_of(data)
    local crc = 0xFFFF
    for at = 1, #data do
        crc = bxor(crc, data:byte(at) * 256)
        for _ = 1, 8 do
            local shifted = crc * 2 % 0x10000
            crc = crc >= 0x8000 and bxor(shifted, 0x1021) or shifted
        end
    end
    return crc
end

-- The bytes between two zero bytes without COBS; nil if they are not COBS.
local function cobs_decoded(encoded)
    local blocks = {}
    local at = 1
    while at <= #encoded do
        local step = encoded:byte(at)
        blocks[#blocks + 1] = encoded:sub(at + 1, at + step - 1)
        at = at + step
    end
    if at ~= #encoded + 1 then
        return nil
    end
    return table.concat(blocks, "\0")
end

-- Body and crc of a frame; or nil, and why it is none.
local function unframed(encoded)
    if #encoded > MAX_ENCODED then
        return nil, "a frame of more than " .. MAX_ENCODED .. " bytes"
    end
    local checked = cobs_decoded(encoded)
    if checked == nil then
        return nil, "not a COBS frame"
    end
    if #encoded < 4 or crc_of(checked) ~= 0 then
        return nil, "wrong checksum"
    end
    return checked
end

-- Types 00-0F and 80-8F hex are bare.
local function is_sealed(frame_type)
    return math.floor(frame_type / 16) % 8 ~= 0
end

---- Contents ----------------------------------------------------------------------------------------------------------

-- A text with whatever is not printable ASCII written in hexadecimal digits, and whether it was a good text.
local function printable(text)
    local shown = text:gsub("[^ -~]", function(character)
        return string.format("\\x%02x", character:byte())
    end)
    return shown, shown == text and #text <= MAX_TEXT
end

local function add_text(tree, key, body, at, limit)
    local length = body(at, 1):uint()
    if at + 1 + length > limit then
        return nil, string.format("%s is cut off", FIELDS[key].name)
    end
    local shown, good = "", true
    if length > 0 then
        shown, good = printable(body:raw(at + 1, length))
    end
    tree:add(fields[key], body(at, 1 + length), shown)
    if not good then
        return nil, string.format("%s is not a text of at most %d printable ASCII characters", FIELDS[key].name, MAX_TEXT)
    end
    return at + 1 + length, nil, shown
end

local function add_flags(tree, field, range, value)
    local set = {}
    for _, flag in ipairs(field.flags) do
        tree:add(fields[flag.key], range)
        if math.floor(value / flag.mask) % 2 == 1 then
            set[#set + 1] = flag.name:lower()
        end
    end
    return table.concat(set, ", ")
end

local LAST_SECOND = 253402300799 -- of the year 9999

local function day_and_time(milliseconds)
    local seconds = math.floor(milliseconds / 1000)
    return seconds <= LAST_SECOND and os.date("!%Y-%m-%d %H:%M:%S UTC", seconds) or "beyond the year 9999"
end

local function add_number(tree, key, body, at, limit)
    local field = FIELDS[key]
    local bytes = NUMBER_BYTES[field.size]
    if at + bytes > limit then
        return nil, string.format("%s is cut off", field.name)
    end
    local range = body(at, bytes)
    local item = tree:add(fields[key], range)
    at = at + bytes
    if field.size == "u64" then
        local shown = day_and_time(range:uint64():tonumber())
        item:append_text(" " .. field.unit .. ", " .. shown)
        return at, nil, shown
    end
    local value = field.size == "i16" and range:int() or range:uint()
    if field.flags then
        return at, nil, add_flags(item, field, range, value)
    end
    if field.codes then
        if field.codes[value] then
            return at, nil, field.codes[value]
        end
        if not field.others then
            return nil, string.format("%s %d does not exist", field.name, value)
        end
        item:append_text(": taken as " .. field.others)
        return at, nil, field.others
    end
    if value == field.absent then
        item:append_text(" (not given)")
        return at, nil, ""
    end
    if field.unit then
        item:append_text(" " .. field.unit)
    end
    return at, nil, tostring(value)
end

local function add_nonce(tree, key, body, at, limit)
    if at + NONCE_BYTES > limit then
        return nil, string.format("%s is cut off", FIELDS[key].name)
    end
    tree:add(fields[key], body(at, NONCE_BYTES))
    return at + NONCE_BYTES
end

-- Adds the fields of a layout that begin at `at` and end before `limit`, and one line of them to `summary`.
-- Returns where they end; or nil, and why they cannot be read.
local function add_fields(tree, layout, body, at, limit, summary)
    for _, key in ipairs(layout.keys) do
        local size = FIELDS[key].size
        local add = size == "text" and add_text or size == "nonce" and add_nonce or add_number
        if at >= limit then
            return nil, string.format("%s is missing", FIELDS[key].name)
        end
        local after, problem, shown = add(tree, key, body, at, limit)
        if after and layout.given == key and body(at, 1):uint() == 0 then
            after, problem = nil, string.format("%s must not be 0 here", FIELDS[key].name)
        end
        if not after then
            return nil, problem
        end
        if FIELDS[key].in_summary and shown ~= "" then
            summary[#summary + 1] = FIELDS[key].name:lower() .. " " .. shown
        end
        at = after
    end
    return at
end

-- What follows the fields that this version knows.
local function add_appended(tree, body, at, limit)
    if at < limit then
        local item = tree:add(fields.appended, body(at, limit - at))
        item:add_proto_expert_info(experts.newer, "fields that this version does not know, as a newer one may append")
    end
end

local function add_event(tree, body, at, limit, summary)
    if at >= limit then
        return "an EVENT without a kind"
    end
    local kind = body(at, 1):uint()
    local item = tree:add(fields.kind, body(at, 1))
    local layout = EVENTS[kind]
    at = at + 1
    summary.name = "EVENT " .. (layout and layout.name or string.format("kind %02X", kind))
    local after, problem = nil, "this kind does not exist in this version"
    if layout then
        after, problem = add_fields(tree, layout, body, at, limit, summary)
    end
    if after then
        add_appended(tree, body, after, limit)
    else
        if at < limit then
            tree:add(fields.payload, body(at, limit - at))
        end
        item:add_proto_expert_info(
            experts.not_understood, problem .. ": the controller takes this event for the fault 'other'"
        )
        summary[#summary + 1] = "NOT UNDERSTOOD"
    end
end

-- Adds a body, of which the checksum was right. Returns one line about it.
local function add_body(tree, body, length, inbound)
    local frame_type = body(0, 1):uint()
    local layout = FRAMES[frame_type]
    local type_item = tree:add(fields.type, body(0, 1))
    local summary = {name = layout and layout.name or string.format("type %02X", frame_type)}
    if inbound ~= nil and inbound ~= (frame_type >= FROM_SHOE) then
        type_item:add_proto_expert_info(experts.reflected, "a frame of the other direction: the line reflects")
        summary[#summary + 1] = "REFLECTED"
    end
    local at, tag_bytes = 1, layout and layout.tag_bytes or 0
    if is_sealed(frame_type) then
        tag_bytes = SEALED_TAG_BYTES
        if length < 9 + tag_bytes then
            tree:add(fields.payload, body(0, length))
            type_item:add_proto_expert_info(experts.malformed, "too short for a counter and a tag")
            return summary.name .. " MALFORMED"
        end
        tree:add(fields.counter, body(1, 8))
        at = 9
    end
    local limit = math.max(length - tag_bytes, at)
    if not layout then
        if at < limit then
            tree:add(fields.payload, body(at, limit - at))
        end
        type_item:add_proto_expert_info(experts.unknown_type, "this type does not exist in this version")
    else
        local after, problem = add_fields(tree, layout, body, at, limit, summary)
        if after and layout.name == "EVENT" then
            problem = add_event(tree, body, after, limit, summary)
        elseif after then
            add_appended(tree, body, after, limit)
        end
        if problem then
            type_item:add_proto_expert_info(experts.malformed, problem)
            summary[#summary + 1] = "MALFORMED"
        end
    end
    if tag_bytes > 0 and limit < length then
        tree:add(fields.tag, body(limit, length - limit))
    end
    return summary.name .. (#summary > 0 and " " or "") .. table.concat(summary, ", ")
end

---- The line ----------------------------------------------------------------------------------------------------------

-- Adds what stands between two zero bytes, at `at` in the line. Returns one line about it.
local function add_frame(tvb, at, length, tree, inbound, problem)
    local range = tvb(at, length)
    local item = tree:add(shoe, range)
    local checked
    if not problem then
        checked, problem = unframed(tvb:raw(at, length))
    end
    if not checked then
        item:add(fields.line_bytes, range)
        item:add_proto_expert_info(experts.not_a_frame, problem)
        item:append_text(": not a frame: " .. problem)
        return "not a frame: " .. problem
    end
    local body = ByteArray.new(checked, true):tvb("Frame without COBS")
    local line = add_body(item, body, #checked - 2, inbound)
    item:add(fields.crc, body(#checked - 2, 2)):append_text(" [correct]")
    item:append_text(": " .. line)
    return line
end

-- Adds every frame of a piece of the line. `inbound` says whether the shoe has sent it, where that is known.
local function add_line(tvb, pinfo, tree, inbound)
    local line = tvb:raw()
    local lines = {}
    local at = 1
    while at <= #line do
        local zero = line:find("\0", at, true)
        local length = (zero or #line + 1) - at
        if not zero and length <= MAX_ENCODED and pinfo.can_desegment > 0 then
            -- A TCP segment that ends in the middle of a frame: it is shown when its rest is there.
            pinfo.desegment_offset = at - 1
            pinfo.desegment_len = DESEGMENT_ONE_MORE_SEGMENT
            break
        end
        if length > 0 then
            local problem = nil
            if not zero and length <= MAX_ENCODED then
                problem = "the line ended in the middle of a frame"
            end
            lines[#lines + 1] = add_frame(tvb, at - 1, length, tree, inbound, problem)
        end
        at = at + length + 1
    end
    pinfo.cols.protocol = "Shoe"
    if #lines > 0 then
        pinfo.cols.info = table.concat(lines, "; ")
    end
    return tvb:len()
end

function shoe.dissector(tvb, pinfo, tree)
    return add_line(tvb, pinfo, tree, nil)
end

-- Packets of a captured line have no addresses; the columns say which side has sent each.
local captured = Proto("shoe_line", "Smart shoe, a captured line")

function captured.dissector(tvb, pinfo, tree)
    local inbound = nil
    if pinfo.p2p_dir == INBOUND then
        inbound, pinfo.cols.src, pinfo.cols.dst = true, "shoe", "controller"
    elseif pinfo.p2p_dir == OUTBOUND then
        inbound, pinfo.cols.src, pinfo.cols.dst = false, "controller", "shoe"
    end
    return add_line(tvb, pinfo, tree, inbound)
end

DissectorTable.get("wtap_encap"):add((wtap_encaps or wtap).USER0, captured)
DissectorTable.get("tcp.port"):add_for_decode_as(shoe)

-- A stream is taken for this wire by a whole frame of a known type with a right checksum.
shoe:register_heuristic("tcp", function(tvb, pinfo, tree)
    local encoded = tvb:raw():match("([^\0]+)\0")
    local checked = encoded and unframed(encoded)
    if not checked or not FRAMES[checked:byte(1)] then
        return false
    end
    pinfo.conversation = shoe
    shoe.dissector(tvb, pinfo, tree)
    return true
end)
