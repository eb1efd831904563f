"""What laboratories call the same place on a body, and which place a label means.

Every lab writes its own labels: `LHEE`, `L.Heel`, `L_FCC`, `LCAL`, `LHeelBack` are one heel. The
tables below list, for each landmark, the words in use (Plug-in Gait, Oxford foot, CGM2, Rizzoli and
Van Sint Jan, Cleveland, Helen Hayes, Visual3D, HBM, OpenSim, Qualisys, OptiTrack, ...), best first.
A label is compared without its subject, its separators and its case.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

SIDES = ("left", "right")

# Words after (or before) the letter of the side; the first one present wins.
SIDED: dict[str, str] = {
    "heel": "HEE HEEL CAL CALC CALCANEUS FCC CA HEELBACK BACKHEEL HEELPOST POSTHEEL CALC1 HEEL1"
    " CALP CALPOST PCAL CALCA HEEL2 HEELUP HEELUPPER UPPERHEEL HEELLOW HL HC PCA CALD HEELCENTER"
    " CALCANEOUS CALCN HEELC TALON CALU LOWERHEEL HEELLOWER",
    "toe": "TOE MT2 FM2 MTP2 MET2 2MT 2MTP MTII SMH MFH2 SM D2M MH2 M2 TOE2 META2 METATARSAL2"
    " 2NDMET MT2H TOEMID MIDTOE MT3 MT23 TOES MET META MT METATARSAL FOREFOOT FOREFOOTMID FMH2"
    " MTB2 MTH2 MTP FF FFOOT 3MT MTP3 MET3 FRONTFOOT",
    "mt1": "MT1 FM1 MTP1 MET1 1MT 1MTP MTI FMH MFH1 FM D1M MH1 M1 META1 METATARSAL1 1STMET MT1H"
    " TOEIN TOEMED TOEMEDIAL MEDTOE FOREFOOTIN FOREFOOTMED MTH1 MTMED MTM P1M 1STMT FMT TOE1 MMT"
    " BALLMED METMED FFM MEDFOREFOOT INNERTOE FMTH MTHMED",
    "mt5": "MT5 FM5 MTP5 MET5 5MT 5MTP MTV VMH MFH5 VM D5M MH5 M5 META5 METATARSAL5 5THMET MT5H"
    " TOEOUT TOELAT TOELATERAL LATTOE FOREFOOTOUT FOREFOOTLAT MTH5 MTLAT MTL TOE5 P5M 5THMT LMT"
    " BALLLAT METLAT FFL LATFOREFOOT OUTERTOE MTHLAT",
    "toe_tip": "TOETIP HLX HAL HALLUX TT2 TIPTOE BIGTOE TTIP TOEEND HX GTOE BT HALUX TOETOP"
    " GREATTOE TTP FOOTTIP DTOE",
    "ankle_lateral": "ANK ANKLE LMAL FAL LM MALL LANK ANKLELAT ANKLEOUT ANKLELATERAL LATANKLE"
    " LATERALANKLE LATMAL MALLAT MALLEOLUS LATMALLEOLUS MALEX MALLEOLUSLAT LATERALMALLEOLUS ANL"
    " LA MAL ANK1 ANKL EXTMAL ANKO LATERALMAL ANLAT LANKLE OUTERANKLE MLAT MALO ANKLEEXT EMAL",
    "ankle_medial": "ANKM MMAL TAM MM MALM MANK ANKLEMED ANKLEIN ANKLEMEDIAL MEDANKLE MEDIALANKLE"
    " MEDMAL MALMED MMA MED ANKIN MALIN SPH MEDMALLEOLUS MALLEOLUSMED MEDIALMALLEOLUS ANM MA ANK2"
    " ANKMED INTMAL MEDIALMAL ANMED MANKLE ANKI INNERANKLE MMED MALI ANKLEINT TMAL IMAL",
    "knee_lateral": "KNE KNEE LFC FLE LE LFE LEK FCL LKNE LKNEE KNEELAT KNEEOUT KNEELATERAL LATKNEE"
    " LATERALKNEE LEPI KNL LK LCON LATCON LATCONDYLE LEC KNEL KNE1 KNEE1 LFEP LEP EPL LATEPI KNO"
    " KNELAT LKN LEF CONDLAT EPILAT LFEMEP LATFEMEPI FEMEPILAT OUTERKNEE LCND CONL KNEEEXT LFCON"
    " FLC KJL KNEEL",
    "knee_medial": "KNM FME ME MFE MEK FCM MFC MKNE MKNEE KNEEMED KNEEIN KNEEMEDIAL MEDKNEE"
    " MEDIALKNEE MEPI MK MCON MEDCON MEDCONDYLE MEC KNEM KNE2 KNEE2 MFEP MEP EPM MEDEPI KNI KNEIN"
    " KNEMED MKN MEF CONDMED EPIMED MFEMEP MEDFEMEPI FEMEPIMED INNERKNEE MCND CONM KNEEINT MFCON"
    " FMC KJM KNEEM",
    "asis": "ASI ASIS IAS SIAS ASISFRONT ILIACANT PELVISFRONT FRONTASIS ASISL ASIAS ASP FWT FHIP"
    " HIPFRONT FRONTHIP PELF",
    "psis": "PSI PSIS IPS SIPS ILIACPOST PELVISBACK BACKPSIS PSISL PSP BWT BHIP HIPBACK BACKHIP"
    " PELB",
    "trochanter": "GT FTC GTR GTRO TROC GTROC TROCH GREATERTROCHANTER HIP TRO GTRC TROCHANTER TRC"
    " HIPOUT",
    "crest": "ILIACCREST ICT IC CREST ILC ILCR",
    "thigh": "THI THIGH TH1 THI1 TH THIGH1",
    "shank": "TIB SHANK SHA SK TB1 TIB1 SHIN SHANK1 SH1 LEG1",
    "shoulder": "SHO SHOULDER ACR ACROMION SAE SAA ACROMIUM A AC SHOULDERTOP SHOULD ACROM CAJ"
    " SHO1 TOPSHOULDER ACRO SHLD AC1 ACJ",
    "elbow_lateral": "ELB ELBOW LEL HLE LHE EL ELBOWLAT ELBOWOUT LELB ELBLAT LEE ELBL ELBOWLATERAL"
    " LATELBOW LHEP ELL LELBOW ELBOWEXT EPILATHUM RHE",
    "elbow_medial": "MELB HME MHE EM MEL ELBOWMED ELBOWIN ELBMED MEE ELBM ELBOWMEDIAL MEDELBOW MHEP"
    " ELM MELBOW ELBOWINT ELBIN ELBW",
    "wrist_radial": "WRA RSP RS WRR RAD WRISTRAD WRISTLAT RWR WRISTOUT RADS RADIUS FARADIUS WRI"
    " WRIST WRISTRADIAL RADIALSTYLOID RST WRISTTHUMB LWRI WRL WRISTA WR1 RSTY FAR",
    "wrist_ulnar": "WRB UHE US USP WRU ULN WRISTULN WRISTMED UWR WRISTIN ULNS ULNA FAULNA"
    " WRISTULNAR ULNARSTYLOID UST WRISTPINKIE MWRI WRM WRISTB WR2 USTY FAU",
    "hand": "FIN HAND HM2 HMH2 HANDOUT FT3 HM3 KNUCKLE FINGER MC3 HND MCP3 HANDIN M3 MC2 HM5",
    "head_front": "FHD HEADFRONT FRONTHEAD FHEAD HDF TEMPLE TEMP TEM",
    "head_back": "BHD HEADBACK BACKHEAD BHEAD HDB",
}

CENTRAL: dict[str, str] = {
    "sacrum": "SACR SACRUM VSAC VSACRAL SAC SACRAL S1 S2 SACR1 MPSIS SACRUMMID L5S1 MIDPSIS PELVIS"
    " WAISTBACK SACR2",
    "c7": "C7 CV7 CERV7 SPINETOP BACKTOP NECKBACK C7SPINE",
    "t10": "T10 TV10 T8 TV8 T12 T9 TV9 TV7 T7 SPINEMID BACKMID",
    "sternum_top": "CLAV IJ SJN SUP JN SUPR INCJUG JUG SJ STERNUMTOP MANUBRIUM SME STERNALNOTCH"
    " CHESTTOP SN CLAVICLE SSN SJT MANU",
    "sternum_low": "STRN PX SXS XIPH STR STERNUM XYPH XIPHOID SX CHEST STERN XYPHOID STERNUMLOW XP",
    "head_top": "HV TOPHEAD HEADTOP VERTEX VERT THEAD TOPHD HEDT",
    "head_fore": "SEL FRONTHEAD HEADFRONT SGL GLABELLA NASION FHEAD FOREHEAD SELLION",
    "head_rear": "OCC REARHEAD BACKHEAD INION OCCIPUT HEADBACK HEADREAR REARHD BHEAD",
}

# Whole labels that do not say the side first or last.
WHOLE: dict[str, str] = {
    "WAISTLFRONT": "left_asis",
    "WAISTRFRONT": "right_asis",
    "WAISTLBACK": "left_psis",
    "WAISTRBACK": "right_psis",
    "HEADL": "left_head_front",
    "HEADR": "right_head_front",
}

LOW = ("heel", "toe", "mt1", "mt5", "toe_tip", "ankle_lateral", "ankle_medial")
HIGH = ("asis", "psis", "sacrum", "c7", "sternum_top", "sternum_low", "shoulder", "crest")


def bare_label(label: str) -> str:
    """A label without its subject: "Subject:LASI" is "LASI"."""
    return label.rsplit(":", 1)[-1].strip()


def _key(label: str) -> str:
    return re.sub(r"[\s._\-/|#]+", "", bare_label(label)).upper()


def _catalogue() -> dict[str, tuple[str, int]]:
    """Every known label, with its landmark and its rank among the words for it."""
    known: dict[str, tuple[str, int]] = {}

    def add(key: str, landmark: str, rank: int) -> None:
        if key not in known or rank < known[key][1]:
            known[key] = (landmark, rank)

    for name, words in SIDED.items():
        for rank, word in enumerate(words.split()):
            for side in SIDES:
                long, short = side.upper(), side[0].upper()
                add(short + word, f"{side}_{name}", rank)
                add(long + word, f"{side}_{name}", rank)
                add(word + long, f"{side}_{name}", rank + 100)
                if len(word) > 2:  # "AL" for a left acromion would catch too much
                    add(word + short, f"{side}_{name}", rank + 100)
    for name, words in CENTRAL.items():
        for rank, word in enumerate(words.split()):
            known[word] = (name, rank)
    for word, name in WHOLE.items():
        known[word] = (name, 50)
    return known


CATALOGUE = _catalogue()


def landmark_of(label: str) -> str | None:
    """The landmark a label means, e.g. "left_heel" for "L.Heel", or None."""
    found = CATALOGUE.get(_key(label))
    return None if found is None else found[0]


def recognised(labels: Iterable[str], weight: Mapping[str, float] | None = None) -> dict[str, str]:
    """Landmarks among labels, each with the label that means it best.

    Args:
        labels: as in the file, with or without the subject's name.
        weight: how much of each marker was seen, 0 to 1; a better word loses only to a marker
            that was seen more than twice as often.
    """
    best: dict[str, tuple[float, str]] = {}
    for label in labels:
        found = CATALOGUE.get(_key(label))
        if found is None:
            continue
        landmark, rank = found
        seen = 1.0 if weight is None else weight.get(label, 0.0)
        score = seen - 0.5 * (1.0 - 1.0 / (1.0 + rank))
        if landmark not in best or score > best[landmark][0]:
            best[landmark] = (score, label)
    return {landmark: label for landmark, (_, label) in best.items()}


def mirrored(landmark: str) -> str:
    """The same landmark of the other side; central ones are their own mirror image."""
    if landmark.startswith("left_"):
        return "right_" + landmark[5:]
    if landmark.startswith("right_"):
        return "left_" + landmark[6:]
    return landmark


def side_of(landmark: str) -> str | None:
    """The side of a landmark, left or right, or None."""
    head = landmark.split("_", 1)[0]
    return head if head in SIDES else None
