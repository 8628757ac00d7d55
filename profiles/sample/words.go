package sample

var givenNames = []string{
	"Aiko", "Amara", "Amina", "Anders", "Beatriz", "Bongani", "Camille", "Chidi", "Daniel", "Elif", "Fatima", "Giulia",
	"Hana", "Ibrahim", "Ingrid", "Jakub", "Jonas", "Kagiso", "Katarina", "Kwame", "Leila", "Lerato", "Linh", "Lucas",
	"Maria", "Mateo", "Mei", "Miriam", "Naledi", "Nikhil", "Noor", "Olga", "Omar", "Oscar", "Pieter", "Priya", "Rafael",
	"Rosa", "Sanna", "Sipho", "Sofia", "Tariq", "Thabo", "Tomas", "Valentina", "Wanjiru", "Yara", "Yusuf", "Zanele", "Zofia",
}

var familyNames = []string{
	"Abebe", "Adeyemi", "Almeida", "Andersen", "Banerjee", "Becker", "Botha", "Castillo", "Chen", "Costa", "Diallo", "Dlamini",
	"Dubois", "Eriksson", "Fernandez", "Fischer", "Garcia", "Haddad", "Hansen", "Hussein", "Ivanova", "Jansen", "Kamau",
	"Kaya", "Khumalo", "Kim", "Kovacs", "Kowalski", "Larsen", "Lopez", "Mensah", "Modise", "Molefe", "Moreau", "Nakamura",
	"Ndlovu", "Nguyen", "Novak", "Okafor", "Olsen", "Patel", "Petrov", "Ricci", "Sato", "Silva", "Tanaka", "Tau", "Virtanen",
	"Wagner", "Yilmaz",
}

var plainWords = []string{
	"amber", "arctic", "birch", "blue", "brook", "cedar", "clear", "copper", "coral", "dawn", "delta", "east", "ember", "fern",
	"field", "garden", "golden", "granite", "green", "harbour", "hazel", "ivory", "juniper", "kestrel", "lake", "lemon",
	"linden", "maple", "marble", "meadow", "north", "oak", "olive", "pearl", "pine", "prairie", "quartz", "river", "rowan",
	"sage", "silver", "slate", "south", "spring", "stone", "summit", "tidal", "valley", "west", "willow",
}

var nouns = []string{
	"bakery", "books", "bridge", "cafe", "clinic", "coffee", "craft", "cycles", "design", "dental", "digital", "farm", "flowers",
	"foods", "forge", "gallery", "games", "garage", "goods", "hotel", "house", "kitchen", "labs", "law", "market", "media",
	"motors", "music", "news", "optics", "outdoor", "paper", "parts", "photo", "pottery", "press", "print", "school", "shop",
	"sports", "stable", "studio", "supply", "tailor", "tea", "tools", "travel", "works", "yards", "yoga",
}

var sentences = []string{
	"Checked by hand, all in order.",
	"Looks right, nothing to add.",
	"Asked for by the customer.",
	"Corrected after a call with support.",
	"Does not match what was sent before.",
	"Waiting for an answer.",
	"Done as agreed.",
	"Tried again after a short break.",
	"The numbers agree with the statement.",
	"Closed, no further step needed.",
}

var failures = []string{
	"timeout after 10 s", "503 Service Unavailable", "connection refused", "the answer was not JSON",
}

var zones = []string{
	"Africa/Gaborone", "Africa/Nairobi", "America/Chicago", "America/Sao_Paulo", "Asia/Kolkata", "Asia/Tokyo",
	"Australia/Sydney", "Europe/Berlin", "Europe/London", "Pacific/Auckland",
}

var agents = []string{
	"Mozilla/5.0 (X11; Linux x86_64; rv:139.0) Gecko/20100101 Firefox/139.0",
	"Mozilla/5.0 (Macintosh; Intel Mac OS X 14_5) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.5 Safari/605.1.15",
	"curl/8.9.1",
	"python-requests/2.32.3",
}
